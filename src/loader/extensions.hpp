// Which names look like data: by the extensions of the drivers' table. A hint for directories; bytes decide.
#pragma once

#include <string>
#include <string_view>

namespace loadstone::loader {

/// Whether the extension belongs to a format: `format`, or any if it is empty.
bool is_data(std::string_view name, std::string_view format = {});
/// Whether it belongs to raw shards.
bool is_raw_data(std::string_view name);
/// Whether it belongs to a format other than raw.
bool is_other_data(std::string_view name);
/// Manifest and sidecars: files that describe shards and are none.
bool is_description(std::string_view base_name);

}  // namespace loadstone::loader
