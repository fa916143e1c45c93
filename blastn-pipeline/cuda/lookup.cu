// The lookup table of a batch of queries, made of where its words begin (src/gpu/pipeline/lookup_tables.rs).
#include <blastn/pipeline/lookup.cuh>

namespace {

using blastn::FillLookupParameters;
using blastn::ListedWord;
using blastn::ListWordsParameters;

// Letters of an element of `begins`.
constexpr uint32_t LETTERS = 64;
// Possible words whose part of the table a thread fills: those of an element of `present`.
constexpr uint32_t CODES = 32;

__device__ uint32_t first_item() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The first of the words from `first` on whose code is `code` or more, given that no word before is.
//
// The step doubles until it is too long, then halves: most codes have no word or few, some have thousands.
__device__ uint32_t first_with(const FillLookupParameters& parameters, uint32_t first, uint32_t code) {
  const auto is_before = [&](uint64_t place) {
    return place < parameters.word_count && parameters.words[place].code < code;
  };
  uint64_t step = 1;
  while (is_before(first + step - 1)) {
    first += static_cast<uint32_t>(step);
    step *= 2;
  }
  for (step /= 2; step > 0; step /= 2) {
    if (is_before(first + step - 1)) first += static_cast<uint32_t>(step);
  }
  return first;
}

}  // namespace

// Lists the words that begin where a bit of `begins` is set, in the order of their places. The words' letters are below 4.
//
// Any grid of one-dimensional blocks; a thread for each element of `begins`, no barriers. `words` has room for a word a bit.
extern "C" __global__ void list_words(const __grid_constant__ ListWordsParameters parameters) {
  const uint32_t step = gridDim.x * blockDim.x, width = parameters.width;
  const uint32_t mask = static_cast<uint32_t>((uint64_t{1} << (2 * width)) - 1);
  for (uint64_t i = first_item(); i < parameters.begin_count; i += step) {
    const uint64_t begins = parameters.begins[i];
    if (begins == 0) continue;
    uint32_t slot = parameters.before[i], code = 0;
    // The last word begins at the last letter of the element, and ends among those of the next.
    const uint64_t first = i * LETTERS, end = min(first + LETTERS + width - 1, uint64_t{parameters.letter_count});
    for (uint64_t letter = first; letter < end; letter++) {
      code = (code << 2 | (parameters.letters[letter] & 3u)) & mask;
      if (letter + 1 < first + width) continue;
      const uint64_t place = letter + 1 - width;
      if ((begins >> (place - first) & 1) == 0) continue;
      parameters.words[slot++] = {code, static_cast<uint32_t>(place), {0, 0}};
    }
  }
}
SIMT_EXPORT(list_words)

// Fills the table of words that are in order.
//
// Any grid of one-dimensional blocks; a thread for each element of `present`, no barriers. All elements of the output are written.
extern "C" __global__ void fill_lookup_table(const __grid_constant__ FillLookupParameters parameters) {
  const uint32_t step = gridDim.x * blockDim.x, all = parameters.word_count, codes = parameters.code_count;
  for (uint64_t i = first_item(); i * CODES < codes; i += step) {
    const uint32_t first = static_cast<uint32_t>(i) * CODES, end = min(first + CODES, codes);
    uint32_t next = first_with(parameters, 0, first), present = 0;
    for (uint32_t code = first; code < end; code++) {
      parameters.starts[code] = next;
      const uint32_t behind = first_with(parameters, next, code + 1);
      if (behind > next) present |= 1u << (code - first);
      next = behind;
    }
    parameters.present[i] = present;
    if (end == codes) parameters.starts[codes] = all;
  }
  for (uint64_t i = first_item(); i < all; i += step) parameters.places[i] = parameters.words[i].place;
}
SIMT_EXPORT(fill_lookup_table)
