// The device side of pods.rs.
#include "stream/stream.cuh"

struct Total {
  unsigned row, left, sum;
};
struct Count {
  unsigned left, sum;
};
using Row = stream::Pod<unsigned, unsigned, 32>;

struct Sieve : stream::Collecting<Row, Row> {
  using Node = unsigned;

  template <class Keep, class Push>
  __device__ void run(unsigned, unsigned number, const stream::Site<Sieve>& site, Keep& keep,
                      Push&) const {
    if (number % site.node() != 0) keep(0, number);
  }
  __device__ unsigned header(unsigned row, unsigned, const stream::Site<Sieve>&) const {
    return row;
  }
};

struct Sum : stream::Reducing<Row, Count> {
  using Out = stream::Channels<stream::Channel<Total, 1>>;

  __device__ Count value(unsigned, unsigned number, const stream::Site<Sum>&) const {
    return {1, number};
  }
  __device__ Count combine(Count a, Count b) const { return {a.left + b.left, a.sum + b.sum}; }
  template <class Push>
  __device__ void finish(unsigned row, Count all, const stream::Site<Sum>&, Push& push) const {
    push(stream::to<0>(), Total{row, all.left, all.sum});
  }
};

STREAM_APP(pods, Sieve, Sum)
