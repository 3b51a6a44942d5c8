#include "runtime/tooling/Batches.h"
#include "TempFile.h"

#include <set>
#include <vector>

using namespace heddle::runtime;
using heddle::test::TempFile;

namespace {

/// Bytes 0, 1, 2, …: an id says its place.
std::string counting(int size) {
  std::string text;
  for (int i = 0; i < size; ++i)
    text += static_cast<char>(i);
  return text;
}

class BatchesTest : public testing::Test {
protected:
  StatusOr<Batches> batches(int64_t batch, int64_t context, uint64_t seed, uint64_t position = 0) {
    return Batches::create(*tokens_, batch, context, seed, position);
  }
  /// Ids and targets of the next batch, one after the other.
  static std::vector<int32_t> next(Batches &batches) {
    std::vector<int32_t> ids(static_cast<size_t>(batches.tokensPerBatch())), targets(ids.size());
    EXPECT_TRUE(batches.next(ids, targets).isOk());
    ids.insert(ids.end(), targets.begin(), targets.end());
    return ids;
  }
  TempFile file_{counting(100)};
  StatusOr<TokenFile> tokens_ = TokenFile::open(file_.path());
};

} // namespace

TEST_F(BatchesTest, TargetsAreTheNextTokensOfEachWindow) {
  StatusOr<Batches> made = batches(3, 5, 1);
  ASSERT_TRUE(made.isOk());
  std::vector<int32_t> both = next(*made);
  for (size_t row = 0; row < 3; ++row)
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(both[row * 5 + i], made->placeOf(row) + static_cast<int64_t>(i));
      EXPECT_EQ(both[15 + row * 5 + i], both[row * 5 + i] + 1);
    }
  EXPECT_EQ(made->position(), 3u);
}

TEST_F(BatchesTest, SameSeedSameBatchesFromAnyPosition) {
  StatusOr<Batches> first = batches(2, 5, 7), again = batches(2, 5, 7), later = batches(2, 5, 7, 4),
                    other = batches(2, 5, 8);
  std::vector<int32_t> a = next(*first);
  EXPECT_EQ(next(*again), a);
  EXPECT_NE(next(*other), a);
  (void)next(*first);
  EXPECT_EQ(next(*later), next(*first));
}

// Every place up to the last one that holds a whole window is drawn, and none beyond: 96 places, 5,000 draws;
// that one is never drawn has a chance of 96 * (95/96)^5000 < 1e-20 under a uniform draw.
TEST_F(BatchesTest, AllPlacesAreDrawn) {
  StatusOr<Batches> made = batches(1, 4, 3);
  std::set<int64_t> places;
  for (uint64_t window = 0; window < 5000; ++window)
    places.insert(made->placeOf(window));
  EXPECT_EQ(*places.begin(), 0);
  EXPECT_EQ(*places.rbegin(), 95);
  EXPECT_EQ(places.size(), 96u);
}

TEST_F(BatchesTest, AWindowMustFit) {
  EXPECT_TRUE(batches(1, 99, 0).isOk());
  StatusOr<Batches> made = batches(1, 100, 0);
  ASSERT_FALSE(made.isOk());
  EXPECT_EQ(made.status().code(), StatusCode::InvalidInput);
  EXPECT_NE(made.status().message().find("100 tokens; a context of 100 wants at least 101"),
            std::string::npos);
}
