"""Checks what the log of the lists says of one list and day."""
import base64, hashlib, pathlib, re, subprocess, sys, tempfile, urllib.request

if len(sys.argv) not in (5, 6, 7):
    sys.exit("python3 check.py ADDRESS KEY LIST DAY [CHECKPOINT [KEY OF THE CHECKPOINT]]")
address, key, name, day, *kept = sys.argv[1:]
for each in [key, *kept[1:]]:
    if not re.fullmatch(r"[^+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}", each):
        sys.exit(f"{each} is not a key: give a whole line of /log/key, which is NAME+ID+KEY")
list_path = {"auctions": "auctions?", "all": "retained_domains?"}.get(name, f"retained_domains?type={name}&")

def get(path):
    # Some services refuse the name that Python gives itself.
    request = urllib.request.Request(address + path, headers={"User-Agent": "check.py"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except OSError as error:
        sys.exit(f"{address}{path}: {error}")

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def root(hashes):  # RFC 6962, section 2.1
    if len(hashes) < 2:
        return hashes[0] if hashes else sha256()
    half = 1 << ((len(hashes) - 1).bit_length() - 1)
    return sha256(b"\1", root(hashes[:half]), root(hashes[half:]))

# 1. A checkpoint was signed with a key: the size and the root of the log with the key's name.
def opened(note, key):
    text, signatures = note.decode().rsplit("\n\n", 1)
    key_name, key_id, key_bytes = key.split("+", 2)
    signed = [base64.b64decode(line.split(" ")[2]) for line in signatures.splitlines()]
    files = {
        "key": bytes.fromhex("302a300506032b6570032100") + base64.b64decode(key_bytes)[1:],
        "text": f"{text}\n".encode(),
        "signature": next((each[4:] for each in signed if each[:4].hex() == key_id), b""),
    }
    with tempfile.TemporaryDirectory() as directory:
        for file, content in files.items():
            pathlib.Path(directory, file).write_bytes(content)
        options = "-verify -pubin -keyform DER -inkey key -rawin -in text -sigfile signature"
        done = subprocess.run(["openssl", "pkeyutl", *options.split()], cwd=directory, stdout=2)
    origin, size, checkpoint_root = text.split("\n")[:3]
    if done.returncode != 0 or origin != key_name:
        sys.exit(f"the checkpoint was not signed with {key}")
    return int(size), base64.b64decode(checkpoint_root)

# 2. The leaves are those that the checkpoint names, and a kept one names the first of them.
size, checkpoint_root = opened(get("/log/checkpoint"), key)
leaves = []
while len(leaves) < size:
    number, width = f"{len(leaves) // 256:03}", min(256, size - len(leaves))
    bundle = get(f"/log/tile/entries/{number}" + (f".p/{width}" if width < 256 else ""))
    for _ in range(width):
        end = 2 + int.from_bytes(bundle[:2], "big")
        leaves, bundle = leaves + [bundle[2:end]], bundle[end:]
hashes = [sha256(b"\0", leaf) for leaf in leaves]
if root(hashes) != checkpoint_root:
    sys.exit("the leaves are not those that were signed")
if kept:
    kept_size, kept_root = opened(pathlib.Path(kept[0]).read_bytes(), (kept[1:] or [key])[0])
    if kept_size > size:
        sys.exit("the service shows an older checkpoint than the one that you have")
    if root(hashes[:kept_size]) != kept_root:
        sys.exit("THE LOG IS FORKED: it does not begin with what the kept checkpoint signs")

# 3. One of them is about the list and the day, and the list that is served is the one that it names.
found = [at for at, leaf in enumerate(leaves) if leaf.startswith(f"{name} {day} ".encode())]
if not found:
    sys.exit(f"{name} on {day} is not in the log: it says nothing about that day")
if len(found) > 1:
    sys.exit(f"the log says {name} on {day} more than once")
if kept and found[0] >= kept_size:
    sys.exit(f"{name} on {day} was logged after the kept checkpoint")
digest, count = leaves[found[0]].decode().split()[3:]
body = get(f"/repp/v1/{list_path}as_of={day}")
if hashlib.sha256(body).hexdigest() != digest:
    sys.exit("the list that is served is not the one that was logged")
pathlib.Path(f"{name}-{day}.json").write_bytes(body)
print(f"{name} on {day}: {count} entries, as leaf {found[0]} of the {size} of {key.split('+')[0]}; see {name}-{day}.json")
