"""Mapping of reads to a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Literal, Union

from . import _native
from ._native import Alignment

#: A read: its letters, or its name and its letters.
Read = Union[str, bytes, tuple[str, Union[str, bytes]]]


def _named(reads: Sequence[Read]) -> list[tuple[str, str]]:
    """Names and letters; a read without a name has its number, from 0."""
    if isinstance(reads, (str, bytes)):
        raise ValueError("reads are a list: put the one read into a list")

    def text(letters: str | bytes) -> str:
        return letters.decode("latin-1") if isinstance(letters, bytes) else letters

    named = []
    for number, read in enumerate(reads):
        name, letters = read if isinstance(read, tuple) else (str(number), read)
        named.append((name, text(letters)))
    return named


def _insert_size(insert_size: float | tuple[float, ...] | None) -> str | None:
    if insert_size is None:
        return None
    numbers = insert_size if isinstance(insert_size, tuple) else (insert_size,)
    return ",".join(str(number) for number in numbers)


class Index:
    """A reference to which reads are mapped.

    ``REF.gpx``, which ``gpualign index`` makes, is used if it is beside the reference; else the index is built in memory.
    ``preset="short"`` is for reads of 25 to 70 bases. A GPU holds the index as long as this object lives.
    """

    def __init__(
        self,
        reference: str | PathLike[str],
        *,
        preset: Literal["standard", "short"] = "standard",
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        if preset not in ("standard", "short"):
            raise ValueError("preset is 'standard' or 'short'")
        self._native = _native.Index(reference, preset == "short", device, threads)

    @property
    def contigs(self) -> dict[str, int]:
        """The length of each contig, by name."""
        return dict(self._native.contigs)

    @property
    def device(self) -> str:
        """The device that reads are mapped on."""
        return self._native.device

    def map(self, reads: Sequence[Read], *, secondary: bool = False) -> list[list[Alignment]]:
        """The alignments of each read: the primary one first, none if the read is not aligned.

        With ``secondary``, alternatives to the primary alignment come last.
        """
        return self._native.map(_named(reads), False, None, secondary)

    def map_pairs(
        self,
        first: Sequence[Read],
        second: Sequence[Read],
        *,
        insert_size: float | tuple[float, ...] | None = None,
        secondary: bool = False,
    ) -> list[tuple[list[Alignment], list[Alignment]]]:
        """The alignments of both reads of each pair.

        Insert sizes are estimated from the first 65,536 pairs, unless they are given: mean, standard deviation, longest, shortest.
        """
        if len(first) != len(second):
            raise ValueError(f"{len(first)} first reads cannot be paired with {len(second)} second reads")
        pairs = zip(_named(first), _named(second))
        reads = [(name, letters) for one, two in pairs for name, letters in (one, (one[0], two[1]))]
        found = self._native.map(reads, True, _insert_size(insert_size), secondary)
        return list(zip(found[::2], found[1::2]))

    def map_file(
        self, file: str | PathLike[str], *, secondary: bool = False
    ) -> Iterator[tuple[str, list[Alignment]]]:
        """The name and the alignments of each read of a file of FASTQ or FASTA, which may be compressed."""
        for batch in self._native.map_files([file], False, None, secondary):
            yield from batch

    def map_file_pairs(
        self,
        first: str | PathLike[str],
        second: str | PathLike[str] | None = None,
        *,
        insert_size: float | tuple[float, ...] | None = None,
        secondary: bool = False,
    ) -> Iterator[tuple[str, list[Alignment], list[Alignment]]]:
        """The name of each pair, and the alignments of both reads, of two files, or of one where mates follow each other."""
        files = [first] if second is None else [first, second]
        batches = self._native.map_files(files, True, _insert_size(insert_size), secondary)
        for batch in batches:
            for (name, one), (_, two) in zip(batch[::2], batch[1::2]):
                yield name, one, two
