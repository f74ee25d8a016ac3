// Values of test datasets: a function of seed and global index alone, so that rank count and sharding change no byte.
#pragma once

#include <loadstone/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace loadstone::loader {

enum class Fill : std::uint8_t { random, index };

/// Writes elements [first, first + n) into `out` (n x itemsize bytes, native order).
/// random: integers take all bits, floats are uniform in [0, 1), booleans fair. index: the linear index, modulo what
/// the type holds exactly (2^bits of an unsigned integer, 2^(bits-1) of a signed one, 2^mantissa of a float, 2 of a
/// boolean).
/// @param dtype  numeric
void fill_values(const DType& dtype, Fill fill, std::uint64_t seed, std::int64_t first, std::span<std::byte> out);

/// The same element as a double, for sums that people look at.
double sum_of_values(const DType& dtype, std::span<const std::byte> elements);

/// A well-mixed function of two numbers (splitmix64's finaliser, Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) noexcept;

}  // namespace loadstone::loader
