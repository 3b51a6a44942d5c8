//===- Placement.cpp - Buffers in one arena -------------------------------===//
#include "compiler/Plan/Placement.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using heddle::plan::Placement;
using heddle::runtime::alignedBytes;
using heddle::runtime::Lifetime;

namespace {

enum class Fit {
  First, ///< The lowest gap that is large enough.
  Best,  ///< The smallest one.
};

using Lifetimes = std::vector<Lifetime>;
using Order = std::vector<int32_t>;

/// A buffer that has its place.
struct Placed {
  int64_t begin, end;
  int32_t first, last;
};

/// Places the buffers one after the other into gaps between those that live at the same time and have a
/// place.
Placement placeInOrder(const Lifetimes &lifetimes, const Order &order, Fit fit) {
  Placement result;
  result.offsets.resize(lifetimes.size());
  std::vector<Placed> placed; // By begin.
  placed.reserve(lifetimes.size());
  for (int32_t index : order) {
    const Lifetime &life = lifetimes[static_cast<size_t>(index)];
    int64_t free = 0; // The end of everything seen that lives at the same time.
    int64_t best = -1, bestGap = INT64_MAX;
    for (const Placed &other : placed) {
      if (other.last < life.first || life.last < other.first)
        continue;
      int64_t gap = other.begin - free;
      if (gap >= life.bytes && gap < bestGap) {
        best = free;
        bestGap = gap;
        if (fit == Fit::First || gap == life.bytes)
          break;
      }
      free = std::max(free, other.end);
    }
    int64_t offset = best >= 0 ? best : free;
    Placed mine{offset, offset + life.bytes, life.first, life.last};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), mine,
                                   [](const Placed &a, const Placed &b) { return a.begin < b.begin; }),
                  mine);
    result.offsets[static_cast<size_t>(index)] = offset;
    result.bytes = std::max(result.bytes, mine.end);
  }
  return result;
}

/// The buffers that take memory, by a key that is ascending; equal keys keep the program's order.
template <typename Key>
Order ordered(const Lifetimes &lifetimes, Key key) {
  Order order;
  for (size_t i = 0; i < lifetimes.size(); ++i)
    if (lifetimes[i].bytes > 0)
      order.push_back(static_cast<int32_t>(i));
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return key(lifetimes[static_cast<size_t>(a)]) < key(lifetimes[static_cast<size_t>(b)]);
  });
  return order;
}

/// The most bytes that live at any one step of each buffer's life.
std::vector<int64_t> pressures(const Lifetimes &lifetimes) {
  int32_t steps = 0;
  for (const Lifetime &life : lifetimes)
    steps = std::max(steps, life.last + 1);
  // Sums in 128 bits: what a buffer claims may be anything.
  std::vector<__int128> live(static_cast<size_t>(steps) + 1);
  for (const Lifetime &life : lifetimes) {
    live[static_cast<size_t>(life.first)] += life.bytes;
    live[static_cast<size_t>(life.last) + 1] -= life.bytes;
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  std::vector<int64_t> most;
  for (const Lifetime &life : lifetimes)
    most.push_back(static_cast<int64_t>(std::min<__int128>(
        INT64_MAX, *std::max_element(live.begin() + life.first, live.begin() + life.last + 1))));
  return most;
}

/// The place in `order` of the buffer that ends the arena.
size_t topOf(const Lifetimes &lifetimes, const Order &order, const Placement &placement) {
  for (size_t i = 0; i < order.size(); ++i) {
    auto index = static_cast<size_t>(order[i]);
    if (placement.offsets[index] + lifetimes[index].bytes == placement.bytes)
      return i;
  }
  return 0;
}

} // namespace

Placement heddle::plan::placeInArena(const Lifetimes &exact) {
  // In whole units of the arena from here on: offsets are then multiples by themselves.
  Lifetimes lifetimes = exact;
  for (Lifetime &life : lifetimes)
    life.bytes = alignedBytes(life.bytes);
  int64_t lowerBound = runtime::livePeak(lifetimes).bytes;
  auto duration = [](const Lifetime &life) { return int64_t{life.last} - life.first + 1; };
  // Large first wastes little when sizes differ; by time is right for chains; by area keeps what is large and
  // long out of the way of the rest.
  Order bySize = ordered(lifetimes, [&](const Lifetime &l) { return std::tuple(-l.bytes, -duration(l)); });
  Order byTime =
      ordered(lifetimes, [&](const Lifetime &l) { return std::tuple(int64_t{l.first}, -l.bytes); });
  Order byArea = ordered(lifetimes, [&](const Lifetime &l) {
    // In double: a product of bytes and steps need not fit in 64 bits.
    return std::tuple(-static_cast<double>(l.bytes) * static_cast<double>(duration(l)), -l.bytes);
  });
  // The busiest steps leave no choice: what lives there goes first, side by side.
  std::vector<int64_t> pressure = pressures(lifetimes);
  Order byPressure = byTime;
  std::stable_sort(byPressure.begin(), byPressure.end(), [&](int32_t a, int32_t b) {
    return pressure[static_cast<size_t>(a)] > pressure[static_cast<size_t>(b)];
  });
  Placement best;
  Order bestOrder;
  Fit bestFit = Fit::Best;
  auto attempt = [&](const Order &order, Fit fit) {
    Placement placement = placeInOrder(lifetimes, order, fit);
    if (bestOrder.empty() || placement.bytes < best.bytes) {
      best = std::move(placement);
      bestOrder = order;
      bestFit = fit;
    }
  };
  struct Attempt {
    const Order *order;
    Fit fit;
  };
  for (Attempt a :
       {Attempt{&bySize, Fit::Best}, Attempt{&bySize, Fit::First}, Attempt{&byTime, Fit::First},
        Attempt{&byTime, Fit::Best}, Attempt{&byArea, Fit::Best}, Attempt{&byPressure, Fit::Best}})
    if (bestOrder.empty() || best.bytes > lowerBound)
      attempt(*a.order, a.fit);

  // What ends the arena came too late: place it earlier, as long as the bound is not reached. The work is
  // bounded, so that large programs do not pay for it.
  int64_t count = std::max<int64_t>(static_cast<int64_t>(bestOrder.size()), 1);
  int64_t rounds = std::min<int64_t>(64, 60'000'000 / (count * count));
  Order order = bestOrder;
  Placement placement = best;
  for (int64_t round = 0; round < rounds && best.bytes > lowerBound; ++round) {
    size_t top = topOf(lifetimes, order, placement);
    if (top == 0)
      break; // It is first already and still ends the arena: this order has nothing to give.
    std::rotate(order.begin(), order.begin() + static_cast<ptrdiff_t>(top),
                order.begin() + static_cast<ptrdiff_t>(top) + 1);
    placement = placeInOrder(lifetimes, order, bestFit);
    if (placement.bytes < best.bytes)
      best = placement;
  }
  best.offsets.resize(lifetimes.size());
  best.lowerBound = lowerBound;
  return best;
}
