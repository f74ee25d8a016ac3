// Short ways to say what is wrong with a file.
#pragma once

#include <loadstone/error.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace loadstone::formats {

inline Fault make_fault(Code code, std::string_view kind, std::string message, std::string remedy) {
  Fault fault;
  fault.code = code;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.remedy = std::move(remedy);
  return fault;
}

inline Fault malformed(std::string_view kind, std::string message, std::string remedy) {
  return make_fault(Code::malformed, kind, std::move(message), std::move(remedy));
}

}  // namespace loadstone::formats
