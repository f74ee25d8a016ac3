// Tables of what was measured, as text.
#pragma once

#include "crossover.hpp"
#include "thresholds.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// "512 KiB", "1.5 MiB", "300 B".
std::string size_text(double bytes);
/// "0.62 (0.61-0.66)": median and quartiles.
std::string spread_text(const Spread& spread);

void print_machine(std::span<const std::string_view> sets);
void print_case_head(std::span<const std::string_view> sets);
void print_case(std::string_view name, std::string_view aim, const Spread& memcpy_rate,
                std::span<const Spread> of_sets);
void print_threshold_head();
void print_threshold(const Threshold& threshold, std::string_view set, const Crossover& crossover);
void print_choice(const Choice& choice, std::string_view set, std::span<const double> costs, bool off);

}  // namespace bench
