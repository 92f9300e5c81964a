// Verifies a log with golang.org/x/mod/sumdb: its checkpoint, that a leaf is in it, and that it begins with an
// earlier tree.
//
//	go run verify.go <address> <verifier's key> <index of a leaf> <the leaf> <size of the earlier tree>
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func get(url string) []byte {
	answer, err := http.Get(url)
	check(err)
	if answer.StatusCode != 200 {
		check(fmt.Errorf("%s: %s", url, answer.Status))
	}
	body, err := io.ReadAll(answer.Body)
	check(err)
	return body
}

type tiles struct{ address string }

func (tiles) Height() int                       { return 8 }
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}
func (t tiles) ReadTiles(wanted []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range wanted {
		data = append(data, get(t.address+"/log/"+strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
	}
	return data, nil
}

func main() {
	address, key, leaf := os.Args[1], os.Args[2], os.Args[4]
	index, err := strconv.ParseInt(os.Args[3], 10, 64)
	check(err)
	earlier, err := strconv.ParseInt(os.Args[5], 10, 64)
	check(err)

	verifier, err := note.NewVerifier(key)
	check(err)
	signed, err := note.Open(get(address+"/log/checkpoint"), note.VerifierList(verifier))
	check(err)
	lines := strings.Split(signed.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)

	hashes := tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, tiles{address})
	inclusion, err := tlog.ProveRecord(size, index, hashes)
	check(err)
	check(tlog.CheckRecord(inclusion, size, root, index, tlog.RecordHash([]byte(leaf))))
	consistency, err := tlog.ProveTree(size, earlier, hashes)
	check(err)
	before, err := tlog.TreeHash(earlier, hashes)
	check(err)
	check(tlog.CheckTree(consistency, size, root, earlier, before))
	fmt.Printf("%s %d %d %s\n", verifier.Name(), size, index, before)
}
