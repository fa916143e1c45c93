// Aligns pairs of sequences with one library of other people, as `gpualign nw pairs` does with its own code. Reads two FASTA
// files with as many records, and writes the score and, with methods named CIGAR, the CIGAR of each pair to standard output.
// A distance or a cost is written as a negative score, so that scores of the same costs are equal in all programs.
//
//   g++ -O3 -march=native -fopenmp -DEDLIB -DVERSION='"1.2.7"' nw.cpp -o nw-edlib -ledlib
//   nw-edlib METHOD THREADS A.fa B.fa
//   nw-edlib version
//
// `build` compiles this once with each of the macros PARASAIL, EDLIB and WFA2.
//
//   program      method              costs
//   nw-parasail  scores, CIGAR       match 5, mismatch -4, gap of n bases 10 + (n - 1); 16 bits, "scan"
//   nw-edlib     scores, CIGAR       edit distance
//   nw-wfa2      edit-scores         edit distance
//                edit-CIGAR
//                affine-scores       mismatch 4, gap of n bases 6 + 2 n, WFA2-lib's defaults
//                affine-CIGAR
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct Alignment {
  long score = 0;
  std::string cigar;
};

// Aligns a pair.
using Aligner = std::function<Alignment(const std::string&, const std::string&)>;
// Makes the aligner of a thread.
using Maker = std::function<Aligner()>;

[[noreturn]] static void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

#ifdef PARASAIL
#include <parasail.h>

static std::map<std::string, Maker> methods() {
  using Function = parasail_result_t*(const char*, int, const char*, int, int, int,
                                      const parasail_matrix_t*);
  const auto maker = [](Function* align, bool has_trace) -> Maker {
    return [=]() -> Aligner {
      const auto matrix = parasail_matrix_create("ACGT", 5, -4);
      return [=](const std::string& a, const std::string& b) {
        const auto result = align(a.data(), a.size(), b.data(), b.size(), 10, 1, matrix);
        if (parasail_result_is_saturated(result)) fail("parasail: a score needs more than 16 bits");
        Alignment alignment{parasail_result_get_score(result), ""};
        if (has_trace) {
          const auto cigar = parasail_result_get_cigar(result, a.data(), a.size(), b.data(),
                                                       b.size(), matrix);
          const auto text = parasail_cigar_decode(cigar);
          alignment.cigar = text;
          std::free(text);
          parasail_cigar_free(cigar);
        }
        parasail_result_free(result);
        return alignment;
      };
    };
  };
  return {{"scores", maker(parasail_nw_scan_16, false)},
          {"CIGAR", maker(parasail_nw_trace_scan_16, true)}};
}
#endif

#ifdef EDLIB
#include <edlib.h>

static std::map<std::string, Maker> methods() {
  const auto maker = [](EdlibAlignTask task) -> Maker {
    return [=]() -> Aligner {
      return [=](const std::string& a, const std::string& b) {
        const auto config = edlibNewAlignConfig(-1, EDLIB_MODE_NW, task, nullptr, 0);
        const auto result = edlibAlign(a.data(), a.size(), b.data(), b.size(), config);
        if (result.status != EDLIB_STATUS_OK) fail("edlib: a pair cannot be aligned");
        Alignment alignment{-static_cast<long>(result.editDistance), ""};
        if (task == EDLIB_TASK_PATH) {
          const auto text = edlibAlignmentToCigar(result.alignment, result.alignmentLength,
                                                  EDLIB_CIGAR_EXTENDED);
          alignment.cigar = text;
          std::free(text);
        }
        edlibFreeAlignResult(result);
        return alignment;
      };
    };
  };
  return {{"scores", maker(EDLIB_TASK_DISTANCE)}, {"CIGAR", maker(EDLIB_TASK_PATH)}};
}
#endif

#ifdef WFA2
extern "C" {
#include <wavefront/wavefront_align.h>
}

// Operations, one letter for each column, as a CIGAR.
static std::string runs(const char* operations, int from, int to) {
  std::string text;
  for (int begin = from; begin < to;) {
    int end = begin;
    while (end < to && operations[end] == operations[begin]) end++;
    text += std::to_string(end - begin);
    text += operations[begin] == 'M' ? '=' : operations[begin];
    begin = end;
  }
  return text;
}

static std::map<std::string, Maker> methods() {
  const auto maker = [](distance_metric_t metric, alignment_scope_t scope) -> Maker {
    return [=]() -> Aligner {
      wavefront_aligner_attr_t attributes = wavefront_aligner_attr_default;
      attributes.distance_metric = metric;
      attributes.alignment_scope = scope;
      attributes.heuristic.strategy = wf_heuristic_none;
      attributes.affine_penalties.match = 0;
      attributes.affine_penalties.mismatch = 4;
      attributes.affine_penalties.gap_opening = 6;
      attributes.affine_penalties.gap_extension = 2;
      // Lives as long as the program.
      const auto aligner = wavefront_aligner_new(&attributes);
      return [=](const std::string& a, const std::string& b) {
        // The reference comes first, so that a base of `a` alone is an insertion, as in the other programs.
        if (wavefront_align(aligner, b.data(), b.size(), a.data(), a.size()) < 0) {
          fail("WFA2-lib: a pair cannot be aligned");
        }
        const auto& found = *aligner->cigar;
        Alignment alignment{-std::labs(found.score), ""};
        if (scope == compute_alignment) {
          alignment.cigar = runs(found.operations, found.begin_offset, found.end_offset);
        }
        return alignment;
      };
    };
  };
  return {{"edit-scores", maker(edit, compute_score)},
          {"edit-CIGAR", maker(edit, compute_alignment)},
          {"affine-scores", maker(gap_affine, compute_score)},
          {"affine-CIGAR", maker(gap_affine, compute_alignment)}};
}
#endif

static std::vector<std::string> read(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind('>', 0) == 0) all.emplace_back();
    else if (!all.empty()) all.back() += line;
  }
  if (all.empty()) fail(std::string(path) + ": no sequences");
  return all;
}

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "version") == 0) return std::puts(VERSION) < 0;
  const auto known = methods();
  const auto method = count == 5 ? known.find(arguments[1]) : known.end();
  if (method == known.end()) {
    std::fprintf(stderr, "usage: %s METHOD THREADS A.fa B.fa; methods:", arguments[0]);
    for (const auto& [name, maker] : known) std::fprintf(stderr, " %s", name.c_str());
    std::fputc('\n', stderr);
    return 2;
  }
  const auto a = read(arguments[3]), b = read(arguments[4]);
  if (a.size() != b.size()) fail("the files have different numbers of sequences");
  std::vector<Alignment> alignments(a.size());
#pragma omp parallel num_threads(std::atoi(arguments[2]))
  {
    const Aligner align = method->second();
#pragma omp for schedule(dynamic, 16)
    for (size_t n = 0; n < a.size(); n++) alignments[n] = align(a[n], b[n]);
  }
  for (const auto& [score, cigar] : alignments) std::printf("%ld\t%s\n", score, cigar.c_str());
}
