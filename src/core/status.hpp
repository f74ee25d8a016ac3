// Status and Result: failures as values, between rooms and inside completions. They become an exception in one place.
#pragma once

#include <loadstone/error.hpp>

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace loadstone {

/// Success, or one failure. Move-only; one pointer wide; success allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a failure is a status
  Status(Failure failure) : failure_(std::make_unique<Failure>(std::move(failure))) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a fault is the failure that has only it
  Status(Fault fault);

  [[nodiscard]] bool ok() const noexcept { return failure_ == nullptr; }
  [[nodiscard]] const Failure& failure() const {
    assert(failure_);
    return *failure_;
  }
  [[nodiscard]] Failure& failure() {
    assert(failure_);
    return *failure_;
  }
  [[nodiscard]] Code code() const { return failure().code(); }
  [[nodiscard]] Failure take() && { return std::move(*failure_); }
  [[nodiscard]] Status clone() const;

 private:
  std::unique_ptr<Failure> failure_;
};

/// A value, or the failure that kept it from being made.
template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): both sides convert, so that `return value;` and `return fault;` read well
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }
  Result(Failure failure) : status_(std::move(failure)) {}
  Result(Fault fault) : status_(std::move(fault)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  [[nodiscard]] T& value() & { return *value_; }
  [[nodiscard]] const T& value() const& { return *value_; }
  [[nodiscard]] T&& value() && { return std::move(*value_); }
  [[nodiscard]] const Status& status() const& { return status_; }
  [[nodiscard]] Status&& status() && { return std::move(status_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

/// Throws the failure of a status, if it has one: the one place where values become exceptions.
void throw_if_failed(Status status);

template <class T>
T value_or_throw(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  throw Error(std::move(result).status().take());
}

}  // namespace loadstone
