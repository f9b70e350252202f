f() {
  if [ -n "$1" ] && [ -z "$2" ]; then
    for x in "$@"; do
      [[ $x == a && $x != b ]] || continue
    done
  elif foo; then
    f "$2"
  else
    while read -r l; do case $l in a|b) echo 1 ;; *) echo "$(g)" ;; esac; done
  fi
}
function g { local x=1; until false; do :; done; }
