// The stages of src/pipeline, a node each.
#define STREAM_MAX_WIDTH 256
#define STREAM_MIN_BLOCKS 4
#include <blastn/pipeline/stages.cuh>

STREAM_APP(pipeline, Seed, Widen, Extend, Lengthen, Stretch)
