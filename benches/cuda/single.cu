// The applications with a single pipeline (Cole 2017, figure 3.10).
#define STREAM_MAX_WIDTH 1024  // the widest ensemble of the experiment on widths
#include "benches/stages.cuh"

using namespace benches;

// Five working nodes fused into one.
using Fused = stream::Fused<
    Work<0>, 0,
    stream::Fused<Work<1>, 0, stream::Fused<Work<2>, 0, stream::Fused<Work<3>, 0, Work<4>>>>>;

STREAM_APP(diff_type, Work<0>, Work<1>, Work<2>, Work<3>, Work<4>)
STREAM_APP(same_type, Work<0>)
STREAM_APP(self_loop, Again)
STREAM_APP(merged, Fused)
