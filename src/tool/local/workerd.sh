#!/bin/sh
# Runs workerd, and ends it with the process that started it, even a killed one. Only that process has the other end of
# the control pipe.

# A terminal sends these to all processes. The batch that is being written is finished all the same.
trap '' INT HUP
{
  trap '' TERM
  read -r _ <&3
  kill -9 $$
  # Without the pipes of the output, for which the process waits.
} >/dev/null 2>&1 &
exec "$REGISTRY_WORKERD" "$@"
