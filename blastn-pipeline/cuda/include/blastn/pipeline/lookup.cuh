// What the kernels of lookup.cu share with the host.
#pragma once

#include <gpualign/cuda_or_cpu.cuh>

#include <cstdint>

namespace blastn {

// A word of the queries, as the sort takes it.
struct __align__(16) ListedWord {
  uint32_t code;  // its bases, two bits each, the first in the highest ones
  uint32_t place;
  uint32_t padding[2];
};

// Parameters of list_words.
struct ListWordsParameters {
  const uint8_t* letters;
  const uint64_t* begins;  // of each letter, a bit: whether a word begins there
  const uint32_t* before;  // of each element of `begins`, how many bits are set in those before it
  ListedWord* words;       // all words, in the order of their places
  uint32_t begin_count, letter_count;
  uint32_t width;  // bases of a word
  uint32_t padding;
};

// Parameters of fill_lookup_table.
struct FillLookupParameters {
  const ListedWord* words;  // by code and place
  uint32_t* present;        // of each possible word, a bit
  uint32_t* starts;         // of each possible word, where its places begin; and the end of all
  uint32_t* places;
  uint32_t word_count, code_count;
};

}  // namespace blastn
