// The pipeline from words to ungapped alignments, with a node for each stage (src/gpu/pipeline).
#define STREAM_MAX_WIDTH 256
#define STREAM_MIN_BLOCKS 4
#include <blastn/pipeline/stages.cuh>

STREAM_APP(pipeline, Seed, Widen, Extend, Lengthen, Stretch)
