# Sourced by scripts before they do anything: with --help or -h among their arguments, prints the comment at their head and
# ends. For any sh.
for argument in "$@"; do
  case "$argument" in
    -h | --help)
      sed -n '1d; /^#/!q; s/^# \{0,1\}//; p' "$0"
      exit 0
      ;;
  esac
done
