#!/bin/bash
set -e

build() {
  if test -f Makefile && make || false; then # if, &&, ||
    echo built
  elif [[ -f build.sh && -x build.sh ]]; then # elif, &&
    ./build.sh
  fi
  for target in one two; do # for
    while read -r line; do # while
      echo "$line"
    done
  done
  case "$1" in
    fast|quick) # item
      echo fast ;;
    *)
      echo slow ;;
  esac
}

function publish {
  cat <<TEXT
  # not a comment
TEXT
}

build "$@"
