"""The harness of the benchmarks: standard library only, one noun a module. `benchmarks/bench` is its command."""
