// The map of neighbours behaves like a std::map, with and without gaps.
#include "EdgeMap.h"

#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace mlir::fuse::plan;

static std::map<unsigned, unsigned> read(const EdgeMap &edges) {
  std::map<unsigned, unsigned> entries;
  unsigned last = 0;
  for (auto &[neighbour, edge] : edges) {
    EXPECT_TRUE(entries.empty() || neighbour > last) << "not in order";
    last = neighbour;
    entries[neighbour] = edge.producer;
  }
  return entries;
}

// Few and many neighbours, also so many taken out that gaps are filled, left,
// and closed.
TEST(EdgeMapTest, IsAMap) {
  for (unsigned range : {8u, 40u, 200u, 2000u}) {
    std::mt19937 random(range);
    EdgeMap edges;
    std::map<unsigned, unsigned> expected;
    for (unsigned step = 0; step < 20000; ++step) {
      unsigned neighbour = random() % range, producer = random() % 1000;
      // Growing and shrinking in turns.
      unsigned growth = step / 2000 % 2 ? 3 : 7;
      if (random() % 10 < growth) {
        bool isFirst = random() % 2;
        auto it = expected.find(neighbour);
        if (isFirst) {
          edges.addFirst(neighbour, {producer, 0});
          if (it == expected.end() || producer < it->second)
            expected[neighbour] = producer;
        } else {
          EXPECT_EQ(edges.try_emplace(neighbour, {producer, 0}).second,
                    it == expected.end());
          expected.try_emplace(neighbour, producer);
        }
      } else {
        edges.erase(neighbour);
        expected.erase(neighbour);
      }
      ASSERT_EQ(edges.size(), expected.size());
      ASSERT_EQ(edges.contains(neighbour), expected.count(neighbour) != 0);
      if (step % 97 == 0)
        ASSERT_EQ(read(edges), expected);
    }
    ASSERT_EQ(read(edges), expected);
    edges.clear();
    EXPECT_TRUE(edges.empty());
    EXPECT_EQ(edges.begin(), edges.end());
  }
}
