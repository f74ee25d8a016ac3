#include <iostream>
#include <loadstone/loadstone.hpp>

int main(int, char** argv) {
  loadstone::WriteOptions options;
  options.shape = {1000, 8};
  options.shards = 3;
  loadstone::write(argv[1], options);
  const loadstone::DistributedArray x = loadstone::load({argv[1]});
  std::cout << x.summary() << '\n';
  return x.shape() == loadstone::Shape{1000, 8} && x.local<float>().size() == 8000 ? 0 : 1;
}
