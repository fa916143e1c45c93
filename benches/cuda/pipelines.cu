// The applications with four pipelines behind a splitter (Cole 2017, figure 3.11).
#include "benches/stages.cuh"

using namespace benches;

STREAM_APP(same, Split, Work<0>)
STREAM_APP(diff, Split, Work<0>, Work<1>, Work<2>, Work<3>, Work<4>, Work<5>, Work<6>, Work<7>,
           Work<8>, Work<9>, Work<10>, Work<11>, Work<12>, Work<13>, Work<14>, Work<15>, Work<16>,
           Work<17>, Work<18>, Work<19>)
STREAM_APP(staged, Split, Work<0>, Work<1>, Work<2>, Work<3>, Work<4>)
