"""Global alignments of many pairs of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Union

import numpy as np
import numpy.typing as npt

from . import _native

#: Sequences: a list of str or bytes, or an array of letters (uint8) with where each begins and the last ends.
Sequences = Union[
    Sequence[Union[str, bytes]], tuple[npt.NDArray[np.uint8], npt.NDArray[np.integer]]
]


@dataclass(frozen=True)
class Scoring:
    """Scores of columns and costs of gaps: n residues of a gap cost ``gap_open + (n - 1) * gap_extend``.

    ``matrix`` replaces match and mismatch: BLOSUM62 and others by name, or the text of a matrix in NCBI's format. ``free_ends`` names ends
    that may stay unaligned at no cost: query, target, all, query-begin, query-end, target-begin, target-end.
    """

    match: int = 5
    mismatch: int = -4
    gap_open: int = 10
    gap_extend: int = 1
    matrix: str | None = None
    free_ends: tuple[str, ...] = ()


class NwResult:
    """Results of many pairs, in their order.

    Attributes:
        scores: int32, the score of each pair.
        identities: float32, the share of columns with equal residues; None if only scores were asked for.
        lengths: uint32, the columns of each alignment; None if only scores were asked for.
        cigar_runs: uint32, runs of all CIGARs (length * 16 + number of the operation in BAM); None unless asked for.
        cigar_offsets: uint64, where the runs of each pair begin, and those of the last end; None unless asked for.
        shape: queries and targets.
    """

    def __init__(
        self,
        scores: npt.NDArray[np.int32],
        identities: npt.NDArray[np.float32] | None,
        lengths: npt.NDArray[np.uint32] | None,
        cigar_runs: npt.NDArray[np.uint32] | None,
        cigar_offsets: npt.NDArray[np.uint64] | None,
        pairs: str,
        shape: tuple[int, int],
    ) -> None:
        self.scores = scores
        self.identities = identities
        self.lengths = lengths
        self.cigar_runs = cigar_runs
        self.cigar_offsets = cigar_offsets
        self.shape = shape
        self._pairs = pairs

    def __len__(self) -> int:
        return len(self.scores)

    def cigar(self, pair: int) -> str:
        """The CIGAR of a pair, with = and X; empty if both sequences are."""
        pair = range(len(self))[pair]
        return self._cigars(pair, pair + 1)[0]

    @property
    def cigars(self) -> list[str]:
        """The CIGARs of all pairs."""
        return self._cigars(0, len(self))

    def _cigars(self, begin: int, end: int) -> list[str]:
        """The CIGARs of the pairs from begin to end."""
        if self.cigar_runs is None or self.cigar_offsets is None:
            raise ValueError("no CIGARs were asked for: give cigars=True")
        offsets = self.cigar_offsets[begin : end + 1]
        runs = self.cigar_runs[int(offsets[0]) : int(offsets[-1])]
        return _native.cigar_texts(runs.tobytes(), (offsets - offsets[0]).tobytes())

    def distances(self) -> npt.NDArray[np.float64]:
        """1 - identity of each pair; of all pairs of one set, this is SciPy's condensed distance matrix."""
        if self.identities is None:
            raise ValueError("distances need identities: leave out scores_only")
        return 1.0 - self.identities.astype(np.float64)

    def square(self, values: npt.NDArray[np.generic] | None = None) -> npt.NDArray[np.generic]:
        """A value of each pair (by default its distance) as a matrix of queries and targets.

        Of all pairs of one set, the matrix is symmetric and its diagonal is 0.
        """
        chosen: npt.NDArray[np.generic] = self.distances() if values is None else values
        if len(chosen) != len(self):
            raise ValueError(f"{len(chosen)} values for {len(self)} pairs")
        rows, columns = self.shape
        if self._pairs == "all":
            return chosen.reshape(rows, columns)
        if self._pairs == "later":
            matrix = np.zeros((rows, rows), dtype=chosen.dtype)
            above = np.triu_indices(rows, 1)
            matrix[above] = chosen
            matrix.T[above] = chosen
            return matrix
        raise ValueError("queries were matched with targets, so there is no matrix: give pairs='all'")


def _letters(sequences: Sequences) -> tuple[str | bytes, npt.NDArray[np.uint64]]:
    """All letters, and where each sequence begins and the last ends."""
    if isinstance(sequences, tuple) and len(sequences) == 2 and isinstance(sequences[0], np.ndarray):
        array, offsets = sequences
        if array.dtype != np.uint8 or array.ndim != 1:
            raise ValueError("an array of letters has one dimension and the type uint8")
        return array.tobytes(), np.asarray(offsets).astype(np.uint64)
    if isinstance(sequences, (str, bytes)):
        raise ValueError("sequences are a list: put the one sequence into a list")
    text = _joined(sequences)
    if text is not None:
        return text, _offsets(sequences)
    encoded = [one.encode() if isinstance(one, str) else bytes(one) for one in sequences]
    return b"".join(encoded), _offsets(encoded)


def _offsets(sequences: Sequence[str | bytes]) -> npt.NDArray[np.uint64]:
    """Where each sequence begins among all letters, and the last ends."""
    lengths = np.fromiter(map(len, sequences), dtype=np.uint64, count=len(sequences))
    return np.concatenate([np.zeros(1, np.uint64), np.cumsum(lengths, dtype=np.uint64)])


def _joined(sequences: Sequence[str | bytes]) -> str | None:
    """All letters, if the sequences are str of ASCII, which need not be encoded."""
    try:
        text = "".join(sequences)  # type: ignore[arg-type]
    except TypeError:
        return None
    return text if text.isascii() else None


def nw(
    queries: Sequences,
    targets: Sequences | None = None,
    *,
    pairs: Literal["matched", "all"] = "matched",
    scoring: Scoring = Scoring(),
    scores_only: bool = False,
    cigars: bool = False,
    device: str = "auto",
    threads: int | None = None,
) -> NwResult:
    """Aligns pairs of sequences from end to end (Needleman and Wunsch).

    With targets, each query is aligned with the target of the same number, or with every target (``pairs="all"``, query after query).
    Without targets, each query is aligned with each later one, in the order of SciPy's condensed matrices. ``scores_only`` is much
    faster; ``cigars`` also keeps the alignments.
    """
    if scores_only and cigars:
        raise ValueError("scores_only leaves out CIGARs: give one of them")
    if pairs not in ("matched", "all"):
        raise ValueError("pairs is 'matched' or 'all'")
    selection = "later" if targets is None else pairs
    of_queries = _letters(queries)
    of_targets = None if targets is None else _letters(targets)
    found = _native.nw(
        (of_queries[0], of_queries[1].tobytes()),
        None if of_targets is None else (of_targets[0], of_targets[1].tobytes()),
        selection,
        (scoring.match, scoring.mismatch),
        (scoring.gap_open, scoring.gap_extend),
        scoring.matrix,
        list(scoring.free_ends),
        "scores" if scores_only else "cigars" if cigars else "identities",
        device,
        threads,
    )
    shape = (len(of_queries[1]) - 1, len((of_targets or of_queries)[1]) - 1)
    return NwResult(
        scores=np.frombuffer(found["scores"], dtype=np.int32),
        identities=None if scores_only else np.frombuffer(found["identities"], dtype=np.float32),
        lengths=None if scores_only else np.frombuffer(found["lengths"], dtype=np.uint32),
        cigar_runs=np.frombuffer(found["runs"], dtype=np.uint32) if cigars else None,
        cigar_offsets=np.frombuffer(found["run_offsets"], dtype=np.uint64) if cigars else None,
        pairs=selection,
        shape=shape,
    )
