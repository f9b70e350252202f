#!/bin/bash
source ./lib.sh
. "$DIR/b.sh"
NAME="x ${y:-z}"
my-func() { local a=1; echo "$a $(other arg)"; return 1; after; }
function two { my-func "$1" | grep x; exit 1; dead; }
if [ "$NAME" = y ]; then two; fi
