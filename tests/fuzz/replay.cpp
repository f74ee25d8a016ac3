// Runs a fuzz target without a fuzzer: every file of a corpus, then mutations of them from a seed.
//
//   TARGET CORPUS_DIR [RUNS]      the seed is LOADSTONE_TEST_SEED, 1 by default; a failing input is written to
//   crash-input
#include "fuzz_check.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

using Bytes = std::string;

std::vector<Bytes> read_corpus(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Mutator {
 public:
  Mutator(const std::vector<Bytes>& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

  Bytes next() {
    Bytes input = corpus_[pick(corpus_.size())];
    for (std::size_t steps = 1 + pick(4); steps-- > 0;) mutate(input);
    return input;
  }

 private:
  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  /// A piece of some seed: that is where the tokens of the format are.
  Bytes piece() {
    const Bytes& seed = corpus_[pick(corpus_.size())];
    const std::size_t at = pick(seed.size() + 1);
    return seed.substr(at, pick(24));
  }

  void mutate(Bytes& input) {
    const std::size_t at = pick(input.size() + 1);
    switch (pick(7)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(pick(256));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << pick(8)));
        break;
      case 2:
        input.erase(at, 1 + pick(8));
        break;
      case 3:
        input.insert(at, piece());
        break;
      case 4:
        input.replace(at, std::min(input.size() - at, pick(24)), piece());
        break;
      case 5:
        input.resize(at);
        break;
      default:
        input.insert(at, kTokens[pick(std::size(kTokens))]);
        break;
    }
  }

  static constexpr const char* kTokens[] = {"9223372036854775807",
                                            "9223372036854775808",
                                            "4611686018427387904",
                                            "0",
                                            "-1",
                                            "18446744073709551616",
                                            "1e3",
                                            "L",
                                            ",",
                                            "(",
                                            ")",
                                            "[",
                                            "]",
                                            "{",
                                            "}",
                                            ":",
                                            "'",
                                            "\"",
                                            "\\",
                                            "\\u00",
                                            "\\x",
                                            "null",
                                            "true",
                                            "../",
                                            "/",
                                            "\xff",
                                            "|O",
                                            "<f4",
                                            "\n",
                                            " "};

  const std::vector<Bytes>& corpus_;
  std::mt19937_64 random_;
};

void run(const Bytes& input) {
  // an exact copy on the heap, so that a sanitizer sees one byte too far
  const std::vector<std::uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

const Bytes* running = nullptr;

extern "C" void keep_input(int) {
  std::ofstream("crash-input", std::ios::binary) << *running;
  std::signal(SIGABRT, SIG_DFL);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::vector<Bytes> corpus = read_corpus(argv[1]);
  const long runs = argc > 2 ? std::atol(argv[2]) : 100'000;
  const char* const seed_text = std::getenv("LOADSTONE_TEST_SEED");
  const std::uint64_t seed = seed_text == nullptr ? 1 : std::strtoull(seed_text, nullptr, 10);
  std::printf("%zu seeds, %ld mutations, LOADSTONE_TEST_SEED=%llu\n", corpus.size(), runs,
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  if (corpus.empty()) return 1;
  std::signal(SIGABRT, keep_input);
  for (const Bytes& input : corpus) {
    running = &input;
    run(input);
  }
  Mutator mutator(corpus, seed);
  for (long i = 0; i < runs; ++i) {
    const Bytes input = mutator.next();
    running = &input;
    run(input);
  }
  return 0;
}
