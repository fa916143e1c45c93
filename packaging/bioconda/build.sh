#!/bin/bash
set -euo pipefail
export LIBCLANG_PATH=$BUILD_PREFIX/lib
cargo-bundle-licenses --format yaml --output THIRDPARTY.yml
cargo install --no-track --locked --path cli --root "$PREFIX"
mkdir -p "$PREFIX/share/bash-completion/completions" "$PREFIX/share/zsh/site-functions" "$PREFIX/share/man/man1"
"$PREFIX/bin/gpualign" completions bash > "$PREFIX/share/bash-completion/completions/gpualign"
"$PREFIX/bin/gpualign" completions zsh > "$PREFIX/share/zsh/site-functions/_gpualign"
"$PREFIX/bin/gpualign" man --folder "$PREFIX/share/man/man1"
