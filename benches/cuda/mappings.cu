// Pipelines of one stage type with several threads for each item (one_to_many), or several items for each thread (many_to_one).
#include "benches/stages.cuh"

using namespace benches;

STREAM_APP(one_to_many, Shared)
STREAM_APP(many_to_one, Batched)
