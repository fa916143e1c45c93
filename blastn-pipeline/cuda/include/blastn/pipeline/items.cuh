// Items that travel between the nodes of the pipeline, in the order of the nodes.
//
// Items in queues behind the first stage, and in sinks, are multiples of 16 bytes: a thread reads and writes 16 at once.
#pragma once

#include <blastn/pipeline/tables.cuh>

namespace blastn {

// Input: words of a chunk of the database, a stride apart.
struct ChunkSlice {
  uint32_t chunk;  // index of the chunk
  uint32_t first;  // place of the first word in the chunk
  uint32_t words;  // at least 1
};

// A word of the database that the queries have.
struct FoundWord {
  uint32_t chunk, subject;  // index of the chunk, and place of the word in it
  uint32_t start, count;    // its entries in `PipelineTables::word_places`; at least 1
};

// A seed: as many equal bases in a row as the word size asks for, in a strand and a chunk.
struct SeedHit {
  uint32_t chunk;           // index of the chunk
  uint32_t query, subject;  // where it begins: letter of the batch, base of the chunk
  uint32_t probe;           // base of the chunk that must not have been passed by an earlier extension of the diagonal

  // One base behind its last, in the chunk.
  __device__ uint32_t end(const PipelineTables& tables) const { return subject + tables.word_length; }
};

}  // namespace blastn
