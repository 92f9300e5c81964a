#!/bin/sh
# Runs workerd, and ends it with the process that started it, even a killed one. That process alone holds the other
# end of the control pipe. The waiting shell must not keep the pipes of the output open.
{
  trap '' INT TERM HUP
  read -r _ <&3
  kill -9 $$
} >/dev/null 2>&1 &
exec "$REGISTRY_WORKERD" "$@"
