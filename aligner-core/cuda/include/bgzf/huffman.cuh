// Prefix codes that make a content shortest, with code words of bounded length.
//
// One thread builds Huffman's tree in place, since each step needs the one before (Moffat and Katajainen, In-Place Calculation
// of Minimum-Redundancy Codes, 1995); the other steps are parallel.
#pragma once

#include "bgzf/bgzf.cuh"

namespace bgzf {

// Counts the code words of each length in a Huffman code, and shortens those of more than `most` bits. `code.weights` has the
// counts of the symbols that occur, in rising order, and is overwritten. The only symbol of a code gets one bit.
//
// One thread calls.
template <u32 SYMBOLS>
__device__ void count_lengths(PrefixCode<SYMBOLS>& code, u32 most) {
  u32* const weights = code.weights;
  const u32 leaves = code.occurring;
  for (u32 length = 0; length < 16; length++) code.of_length[length] = 0;
  if (leaves < 2) {
    code.of_length[1] = leaves;
    return;
  }
  // Inner nodes take the places of leaves that have a parent already, in rising order of weight. The weight of an inner node
  // becomes the index of its parent.
  for (u32 leaf = 0, node = 0, parent = 0; parent < leaves - 1; parent++) {
    u32 sum = 0;
    for (u32 child = 0; child < 2; child++) {
      if (leaf < leaves && (node == parent || weights[leaf] <= weights[node])) {
        sum += weights[leaf++];
      } else {
        sum += weights[node];
        weights[node++] = parent;
      }
    }
    weights[parent] = sum;
  }
  // Indices of parents become depths, from the root, the last inner node, on.
  weights[leaves - 2] = 0;
  for (u32 node = leaves - 2; node-- > 0;) weights[node] = weights[weights[node]] + 1;
  // Nodes of a depth that are not inner ones are leaves.
  for (u32 depth = 0, nodes = 1, inner = leaves - 1; nodes > 0; depth++) {
    u32 parents = 0;
    for (; inner > 0 && weights[inner - 1] == depth; inner--) parents++;
    code.of_length[min(depth, most)] += nodes - parents;
    nodes = 2 * parents;
  }
  // Code words that were shortened take more than all code words may, 2^most units of the longest ones. Each step
  // lengthens a shorter code word by one bit. Its sibling, the other code word with the same first bits, replaces one of the
  // longest, whose unit is free then.
  u32 units = 0;
  for (u32 length = 1; length <= most; length++) units += code.of_length[length] << (most - length);
  for (; units > 1u << most; units--) {
    u32 length = most - 1;
    while (code.of_length[length] == 0) length--;
    code.of_length[length]--;
    code.of_length[length + 1] += 2;
    code.of_length[most]--;
  }
}

// Makes the code for the counts of its symbols, with code words of at most `most` bits, in the canonical order of RFC 1951,
// 3.2.2.
//
// All threads call, after a barrier behind the counting; has barriers, the last of which makes the code valid for all threads.
template <u32 SYMBOLS>
__device__ void make_code(PrefixCode<SYMBOLS>& code, u32 most) {
  static_assert(SYMBOLS <= THREADS, "a thread for each symbol");
  const u32 symbol = threadIdx.x;
  const u32 count = symbol < SYMBOLS ? code.counts[symbol] : 0;
  u32 rank = 0;
  if (count > 0) {
    for (u32 other = 0; other < SYMBOLS; other++) {
      const u32 of_other = code.counts[other];
      rank += of_other > 0 && (of_other < count || (of_other == count && other < symbol));
    }
    code.weights[rank] = count;
  }
  const u32 occurring = static_cast<u32>(__syncthreads_count(count > 0));
  if (symbol == 0) {
    code.occurring = occurring;
    count_lengths(code, most);
  }
  __syncthreads();
  u32 length = 0;
  if (count > 0) {
    // The rarest symbols have the longest code words.
    length = most;
    for (u32 longer = code.of_length[most]; longer <= rank; longer += code.of_length[length]) length--;
  }
  if (symbol < SYMBOLS) code.lengths[symbol] = static_cast<byte>(length);
  __syncthreads();
  if (count > 0) {
    u32 word = 0;
    for (u32 shorter = 1; shorter < length; shorter++) word = (word + code.of_length[shorter]) << 1;
    for (u32 other = 0; other < symbol; other++) word += code.lengths[other] == length;
    code.words[symbol] = static_cast<u16>(__brev(word) >> (32 - length));
  }
  __syncthreads();
}

}  // namespace bgzf
