// Shards whose every element is its own global C-order index, and the arithmetic that checks tiles of them.
#pragma once

#include <gtest/gtest.h>
#include <loadstone/array.hpp>
#include <loadstone/distribution.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace loadstone::test {

/// How one shard is stored.
struct Form {
  bool big_endian = false;
  bool column_major = false;
  std::int64_t data_offset = 128;
};

/// A .npy of int32 with rows [first, first + rows) of an array of `shape`, written without the library's own writer.
inline void write_index_shard(const std::string& path, const Shape& shape, std::int64_t first, std::int64_t rows,
                              const Form& form) {
  std::int64_t row = 1;
  std::string extents = std::to_string(rows) + ",";
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    row *= shape[axis];
    extents += " " + std::to_string(shape[axis]) + ",";
  }
  std::string header = "{'descr': '" + std::string(form.big_endian ? ">" : "<") +
                       "i4', 'fortran_order': " + (form.column_major ? "True" : "False") + ", 'shape': (" + extents +
                       "), }";
  const std::int64_t length = form.data_offset - 12;
  header.resize(static_cast<std::size_t>(length), ' ');
  header.back() = '\n';
  std::string bytes("\x93NUMPY\x02\x00", 8);
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i));
  bytes += header;
  const std::size_t start = bytes.size();
  bytes.resize(start + static_cast<std::size_t>(rows * row * 4));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < row; ++c) {
      auto value = static_cast<std::uint32_t>((first + r) * row + c);
      if (form.big_endian) value = __builtin_bswap32(value);
      std::int64_t at = r * row + c;
      if (form.column_major) {  // the first axis varies fastest
        std::int64_t rest = c;
        std::int64_t step = rows * row;
        at = r;
        for (std::size_t axis = shape.size(); axis-- > 1;) {
          step /= shape[axis];
          at += rest % shape[axis] * step;
          rest /= shape[axis];
        }
      }
      std::memcpy(bytes.data() + start + static_cast<std::size_t>(at) * 4, &value, 4);
    }
  }
  write_file(path, bytes);
}

/// shard_0000.npy, ... of these rows; shard i is stored by forms[i % forms.size()].
inline void write_index_shards(const TempDir& directory, const Shape& shape, const std::vector<std::int64_t>& rows,
                               const std::vector<Form>& forms = {{}}) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string name = "0000" + std::to_string(i);
    name = "shard_" + name.substr(name.size() - 4) + ".npy";
    write_index_shard(directory.file(name), shape, first, rows[i], forms[i % forms.size()]);
    first += rows[i];
  }
}

/// First element of a tile that is not its global index; -1 if all are. `T` is the element type of the array.
template <class T>
std::int64_t first_wrong_element(const DistributedArray& array) {
  const auto tile = array.local<T>();
  const Box box = array.box();
  for (std::size_t n = 0; n < tile.size(); ++n) {
    auto rest = static_cast<std::int64_t>(n);
    std::int64_t index = 0;
    std::int64_t step = 1;
    for (std::size_t axis = box.size(); axis-- > 0;) {
      index += (box[axis].begin + rest % box[axis].size()) * step;
      rest /= box[axis].size();
      step *= array.shape()[axis];
    }
    if (tile[n] != static_cast<T>(index)) return static_cast<std::int64_t>(n);
  }
  return -1;
}

}  // namespace loadstone::test
