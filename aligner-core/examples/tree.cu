// The device side of tree.rs.
#include "stream/stream.cuh"

struct Point {
  int x, y;
};
struct Line {
  int a, b, c;
};
using ToBranch = stream::Channel<Point, 1>;

struct Splitter : stream::Stage {
  using In = Point;
  using Out = stream::Channels<ToBranch, ToBranch, ToBranch, ToBranch>;
  Point centre;

  template <class Push>
  __device__ void run(const Point& point, const stream::Site<Splitter>&, Push& push) const {
    const bool east = point.x >= centre.x, north = point.y >= centre.y;
    if (north && east) push(stream::to<0>(), point);
    if (north && !east) push(stream::to<1>(), point);
    if (!north && !east) push(stream::to<2>(), point);
    if (!north && east) push(stream::to<3>(), point);
  }
};

struct Branch : stream::Stage {
  using In = Point;
  using Out = stream::Channels<stream::Channel<Point, 1>>;
  using Node = Line;

  template <class Push>
  __device__ void run(const Point& point, const stream::Site<Branch>& site, Push& push) const {
    const Line line = site.node();
    if (line.a * point.x + line.b * point.y > line.c) push(stream::to<0>(), point);
  }
};

STREAM_APP(tree, Splitter, Branch)
