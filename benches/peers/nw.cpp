// How many global alignments a second parasail, edlib and WFA2-lib do, beside `gpualign nw pairs`.
//
//   g++ -O3 -march=x86-64-v3 -fopenmp -I/usr/include/wfa2lib nw.cpp -o nw-peers -lparasail -ledlib -lwfa2
//   nw-peers make DIVERGENCE PAIRS LENGTH A.fa B.fa    pairs that differ in this share of their bases
//   nw-peers time SECONDS A.fa B.fa                    every library, on OMP_NUM_THREADS threads
//
// (Debian: libparasail-dev, libedlib-dev, libwfa2-dev.) Each library takes pairs in their order until
// its time is over, so that all of them do the same pairs, some of them more of them. A divergence of
// 1 makes unrelated sequences. parasail: match 5, mismatch -4, gaps 10 and 1 a further base; edlib:
// edit distances; WFA2-lib: edit distances, and mismatch 4, gaps 8 and 2 a further base.
#include <edlib.h>
#include <omp.h>
#include <parasail.h>
#include <parasail/matrices/nuc44.h>
#include <time.h>
extern "C" {
#include <wavefront/wavefront_align.h>
}

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

using Sequences = std::vector<std::string>;

static Sequences read(const char* path) {
  std::ifstream file(path);
  Sequences all;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind('>', 0) == 0) all.emplace_back();
    else if (!all.empty()) all.back() += line;
  }
  if (all.empty()) std::fprintf(stderr, "%s: no sequences\n", path), std::exit(1);
  return all;
}

static void make(double divergence, int pairs, int length, const char* a, const char* b) {
  std::ofstream first(a), second(b);
  std::mt19937 random(16);
  const auto base = [&] { return "ACGT"[random() % 4]; };
  for (int n = 0; n < pairs; n++) {
    std::string query, target;
    for (int i = 0; i < length; i++) {
      query += base();
      if (divergence >= 1) { target += base(); continue; }
      const double chance = std::uniform_real_distribution<>()(random) / divergence;
      if (chance < 0.8) {  // another base
        char other = base();
        while (other == query.back()) other = base();
        target += other;
      } else if (chance < 0.9) {  // one more
        target += base();
        target += query.back();
      } else if (chance >= 1) {  // and between, one less
        target += query.back();
      }
    }
    first << '>' << n << '\n' << query << '\n';
    second << '>' << n << '\n' << target << '\n';
  }
}

// What a thread does with a pair; it gives the score.
using Work = std::function<long(const std::string&, const std::string&)>;

// Times work that each thread makes for itself.
static void measure(const char* name, double seconds, const Sequences& a, const Sequences& b,
                    const std::function<Work()>& maker) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::atomic<size_t> next{0}, done{0};
  std::atomic<long> sum{0}, cells{0};
#pragma omp parallel
  {
    const Work work = maker();
    long own = 0, own_cells = 0;
    size_t n, own_done = 0;
    while (passed() < seconds && (n = next++) < a.size()) {
      own += work(a[n], b[n]);
      own_cells += a[n].size() * b[n].size();
      own_done++;
    }
    sum += own, cells += own_cells, done += own_done;
  }
  const double time = passed();
  std::printf("%-32s %10zu pairs %8.3f s %12.0f pairs/s %9.4f Tcells/s  mean score %.2f\n", name,
              done.load(), time, done / time, cells / time / 1e12, double(sum) / done);
}

static Work parasail(parasail_result_t* (*align)(const char*, int, const char*, int, int, int,
                                                 const parasail_matrix_t*), bool trace) {
  const auto matrix = parasail_matrix_create("ACGT", 5, -4);
  return [=](const std::string& a, const std::string& b) -> long {
    const auto result = align(a.data(), a.size(), b.data(), b.size(), 10, 1, matrix);
    const long score = parasail_result_get_score(result);
    if (trace) {
      const auto cigar = parasail_result_get_cigar(result, a.data(), a.size(), b.data(), b.size(),
                                                   matrix);
      parasail_cigar_free(cigar);
    }
    parasail_result_free(result);
    return score;
  };
}

static Work edlib(EdlibAlignTask task) {
  return [=](const std::string& a, const std::string& b) -> long {
    const auto config = edlibNewAlignConfig(-1, EDLIB_MODE_NW, task, nullptr, 0);
    const auto result = edlibAlign(a.data(), a.size(), b.data(), b.size(), config);
    const long distance = result.editDistance;
    if (task == EDLIB_TASK_PATH) {
      std::free(edlibAlignmentToCigar(result.alignment, result.alignmentLength,
                                      EDLIB_CIGAR_EXTENDED));
    }
    edlibFreeAlignResult(result);
    return distance;
  };
}

static Work wfa(distance_metric_t metric, alignment_scope_t scope) {
  wavefront_aligner_attr_t attributes = wavefront_aligner_attr_default;
  attributes.distance_metric = metric;
  attributes.alignment_scope = scope;
  attributes.heuristic.strategy = wf_heuristic_none;
  // Its own defaults, as matches that score something make it several times slower.
  attributes.affine_penalties.match = 0;
  attributes.affine_penalties.mismatch = 4;
  attributes.affine_penalties.gap_opening = 6;
  attributes.affine_penalties.gap_extension = 2;
  const auto aligner = wavefront_aligner_new(&attributes);
  return [=](const std::string& a, const std::string& b) -> long {
    wavefront_align(aligner, a.data(), a.size(), b.data(), b.size());
    return aligner->cigar->score;
  };
}

static void time_all(double seconds, const Sequences& a, const Sequences& b) {
  const auto run = [&](const char* name, const std::function<Work()>& maker) {
    measure(name, seconds, a, b, maker);
  };
  run("parasail scan 16, scores", [] { return parasail(parasail_nw_scan_16, false); });
  run("parasail striped 16, scores", [] { return parasail(parasail_nw_striped_16, false); });
  run("parasail scan 16, CIGAR", [] { return parasail(parasail_nw_trace_scan_16, true); });
  run("edlib, distances", [] { return edlib(EDLIB_TASK_DISTANCE); });
  run("edlib, CIGAR", [] { return edlib(EDLIB_TASK_PATH); });
  run("WFA2 edit, distances", [] { return wfa(edit, compute_score); });
  run("WFA2 edit, CIGAR", [] { return wfa(edit, compute_alignment); });
  run("WFA2 affine, scores", [] { return wfa(gap_affine, compute_score); });
  run("WFA2 affine, CIGAR", [] { return wfa(gap_affine, compute_alignment); });
}

int main(int count, char** arguments) {
  const std::string task = count > 1 ? arguments[1] : "";
  if (task == "make" && count == 7) {
    make(std::atof(arguments[2]), std::atoi(arguments[3]), std::atoi(arguments[4]), arguments[5],
         arguments[6]);
  } else if (task == "time" && count == 5) {
    const Sequences a = read(arguments[3]), b = read(arguments[4]);
    if (a.size() != b.size()) return std::fprintf(stderr, "as many sequences in both\n"), 1;
    time_all(std::atof(arguments[2]), a, b);
  } else {
    std::fprintf(stderr, "usage: nw-peers make|time ...; see the source\n");
    return 2;
  }
}
