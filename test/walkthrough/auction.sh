#!/bin/sh
# The life of an auction, step by step: as the operator starts it, the auction centre reports on it, the public sees it,
# and a registration ends it. It needs a sandbox, which it resets, and stops at the first answer that is not as expected.
#
#   npm start -- --sandbox                                    in one terminal
#   test/walkthrough/auction.sh [ADDRESS [DIRECTORY]]         in another
#
# DIRECTORY is the --persist-to of the sandbox.
set -eu

project=$(cd "$(dirname "$0")/../.." && pwd)
address=${1:-http://localhost:8787}
directory=${2:-$project/.wrangler/sandbox}
name=kohvipood.ee

step() { printf '\n# %s\n' "$1"; }

# call METHOD PATH [JSON]: prints the call and its answer, which stays in $answer.
call() {
  printf '%s %s %s\n' "$1" "$2" "${3-}"
  answer=$(curl --silent --show-error --fail-with-body --request "$1" "$address$2" \
    ${3+--header 'Content-Type: application/json' --data "$3"}) || refuse
  printf '%s\n' "$answer"
}

registry() {
  printf 'npm run registry -- %s\n' "$*"
  answer=$(cd "$project" && npm run --silent registry -- "$@" --persist-to "$directory") || refuse
  printf '%s\n' "$answer"
}

refuse() {
  printf '%s\nThe walkthrough stops: this is not the expected answer.\n' "$answer" >&2
  exit 1
}

expect() { case $answer in *"$1"*) ;; *) refuse ;; esac; }
expect_no() { case $answer in *"$1"*) refuse ;; *) ;; esac; }
value() { printf '%s' "$answer" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

step 'The sandbox begins with the demo data.'
call POST /sandbox/reset

step "The operator puts $name up for auction."
registry auction start $name
expect 'started 1 auction'

step 'A minute later at most, the public list shows it.'
call POST /sandbox/clock '{"advance": "PT1M"}'
call GET /repp/v1/auctions
expect "\"domain_name\":\"$name\""

step 'The auction centre finds it, with the id that it reports under.'
call GET /api/v1/auctions
expect "\"domain\":\"$name\",\"status\":\"started\""
answer=$(printf '%s' "$answer" | tr '{' '\n' | grep "\"$name\"")
id=$(value id)

step 'The auction has a winner, who has time to pay. It is no longer in progress, so the list drops it.'
call PATCH "/api/v1/auctions/$id" '{"status": "awaiting_payment"}'
expect '"status":"awaiting_payment"'
call POST /sandbox/clock '{"advance": "P8D"}'
call GET /repp/v1/auctions
expect_no "$name"

step 'Eight days later, the winner pays, and gets the code that a registration of the name needs.'
call PATCH "/api/v1/auctions/$id" '{"status": "payment_received", "registration_deadline": "2999-12-31"}'
expect '"status":"payment_received"'
code=$(value registration_code)

step 'The winner registers the name at a registrar with that code, and the auction is over.'
registry auction register "$id" --code "$code"
expect "ended the auction of $name as domain_registered"
call GET "/api/v1/auctions/$id"
expect '"status":"domain_registered"'

step 'The public list does not show it, and the history says what happened, at the time of the sandbox.'
call POST /sandbox/clock '{"advance": "PT1M"}'
call GET /repp/v1/auctions
expect_no "$name"
registry history auction "$name"
expect 'domain_registered'

printf '\nDone.\n'
