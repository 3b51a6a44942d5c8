//===- Status.h - Errors as values ------------------------------*- C++ -*-===//
//
// Nothing in the runtime exits, aborts or throws across a library boundary: a function that can fail returns
// Status or StatusOr<T>. The code says who is at fault and becomes the driver's exit code; the message says
// what was wanted and what was found; context is added while the error travels up.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_STATUS_H
#define HEDDLE_RUNTIME_BASE_STATUS_H

#include <optional>
#include <string>
#include <utility>

namespace heddle::runtime {

enum class StatusCode {
  Ok = 0,
  /// The user's file, model or data is at fault (exit code 1).
  InvalidInput,
  /// A device, driver, library or file system lacks something (exit code 3).
  Unavailable,
  /// Memory ran out; the message gives what was wanted beside what is free (exit code 3).
  OutOfMemory,
  /// A broken invariant: a fault of Heddle itself (exit code 70).
  Internal,
};

/// Success, or a code with a message. Context lines are put in front by `with`.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status ok() { return {}; }
  bool isOk() const { return code_ == StatusCode::Ok; }
  explicit operator bool() const { return isOk(); }
  StatusCode code() const { return code_; }
  const std::string &message() const { return message_; }

  /// Adds what was being done when the error happened: "context: message".
  Status with(const std::string &context) && {
    if (!isOk())
      message_ = context + ": " + message_;
    return std::move(*this);
  }

private:
  StatusCode code_ = StatusCode::Ok;
  std::string message_;
};

inline Status invalidInput(std::string message) { return {StatusCode::InvalidInput, std::move(message)}; }
inline Status unavailable(std::string message) { return {StatusCode::Unavailable, std::move(message)}; }
inline Status outOfMemory(std::string message) { return {StatusCode::OutOfMemory, std::move(message)}; }
inline Status internalError(std::string message) { return {StatusCode::Internal, std::move(message)}; }

/// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : value_(std::move(value)) {}
  StatusOr(Status status) : status_(std::move(status)) {}

  bool isOk() const { return value_.has_value(); }
  explicit operator bool() const { return isOk(); }
  const Status &status() const & { return status_; }
  Status status() && { return std::move(status_); }
  T &operator*() & { return *value_; }
  const T &operator*() const & { return *value_; }
  T &&operator*() && { return std::move(*value_); }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace heddle::runtime

#define HEDDLE_CONCAT_(a, b) a##b
#define HEDDLE_CONCAT(a, b) HEDDLE_CONCAT_(a, b)

/// Returns from the enclosing function when `expr`, a Status, is an error.
#define HEDDLE_RETURN_IF_ERROR(expr)                                                                         \
  do {                                                                                                       \
    if (::heddle::runtime::Status status_ = (expr); !status_.isOk())                                         \
      return status_;                                                                                        \
  } while (false)

/// Declares `lhs` from a StatusOr, or returns its Status.
#define HEDDLE_ASSIGN_OR_RETURN(lhs, expr)                                                                   \
  auto HEDDLE_CONCAT(statusOr_, __LINE__) = (expr);                                                          \
  if (!HEDDLE_CONCAT(statusOr_, __LINE__).isOk())                                                            \
    return std::move(HEDDLE_CONCAT(statusOr_, __LINE__)).status();                                           \
  lhs = *std::move(HEDDLE_CONCAT(statusOr_, __LINE__))

#endif // HEDDLE_RUNTIME_BASE_STATUS_H
