"""Exact counterparts of the values of the module. Each draws a random command, and says whether its reply can be right: nothing
that was added is absent, no count is too low, every reply has the right shape."""

from collections import Counter

from resp import Refused

ITEMS = 3000  # distinct ones: few enough to meet again, many enough to make the filters grow


class Model:
    """Of one key. command() draws the next one and check(reply) is told its reply, in the same order."""

    def __init__(self, key, draw):
        self.key, self.draw = key, draw
        self.started = False

    def item(self):
        return f"item{self.draw.randrange(ITEMS)}"

    def some(self):
        return [self.item() for _ in range(self.draw.randrange(1, 12))]


def truth(reply):
    assert reply in (0, 1), f"neither 0 nor 1: {reply!r}"
    return bool(reply)


def several(reply, count):
    assert isinstance(reply, list) and len(reply) == count, f"not {count} replies: {reply!r}"
    return reply


class Bloom(Model):
    def create(self):
        self.members, self.asked_absent, self.false_positives = set(), 0, 0
        # With expansion 1 each sub-filter has one more probe than the one before, and 64 is the most.
        capacity, expansion = self.draw.choice(((10, 2), (10, 4), (100, 2), (1000, 1), (5000, 2)))
        return ("BF.RESERVE", self.key, "0.001", capacity, "EXPANSION", expansion)

    def command(self):
        kind = self.draw.choice(("BF.ADD", "BF.MADD", "BF.INSERT", "BF.EXISTS", "BF.MEXISTS", "BF.CARD"))
        if kind == "BF.CARD":
            return (kind, self.key), self.check_card
        if kind in ("BF.EXISTS", "BF.MEXISTS"):
            items = self.some() if kind == "BF.MEXISTS" else [self.item()]
            return (kind, self.key, *items), lambda reply: self.check_exists(items, reply if kind == "BF.MEXISTS" else [reply])
        items = self.some() if kind != "BF.ADD" else [self.item()]
        words = (kind, self.key, *(("ITEMS",) if kind == "BF.INSERT" else ()), *items)
        return words, lambda reply: self.check_add(items, reply if kind != "BF.ADD" else [reply])

    def check_add(self, items, replies):
        for item, reply in zip(items, several(replies, len(items))):
            if truth(reply):
                assert item not in self.members, f"{item} was a member, and added as new"
            self.members.add(item)

    def check_exists(self, items, replies):
        for item, reply in zip(items, several(replies, len(items))):
            if item in self.members:
                assert truth(reply), f"{item} is a member, and absent"
            else:
                self.asked_absent += 1
                self.false_positives += truth(reply)

    def check_card(self, reply):
        assert 0 <= reply <= len(self.members), f"{reply} items of {len(self.members)}"

    def check_whole(self, connection):
        members = sorted(self.members)
        if members:
            self.check_exists(members, connection("BF.MEXISTS", self.key, *members))
        # Asked for 0.001: thirty times that is no chance.
        assert self.false_positives <= 20 + 0.03 * self.asked_absent, f"{self.false_positives} of {self.asked_absent} false"


class Cuckoo(Model):
    def create(self):
        self.counts = Counter()
        return ("CF.RESERVE", self.key, 4096, "BUCKETSIZE", self.draw.choice((2, 4)), "EXPANSION", 2)

    def command(self):
        kind = self.draw.choice(("CF.ADD", "CF.ADDNX", "CF.INSERT", "CF.INSERTNX", "CF.DEL", "CF.DEL", "CF.EXISTS", "CF.MEXISTS", "CF.COUNT"))
        item, items = self.item(), self.some()
        if kind == "CF.DEL" and self.counts:
            # Only what was added: to delete anything else may remove another item.
            item = self.draw.choice(list(self.counts)) if self.draw.random() < 0.2 else next(iter(self.counts))
            self.counts[item] -= 1
            if self.counts[item] == 0:
                del self.counts[item]
            return (kind, self.key, item), lambda reply: self.check_delete(item, reply)
        if kind in ("CF.ADD", "CF.DEL"):
            return ("CF.ADD", self.key, item), self.adding([item], False, False)
        if kind == "CF.ADDNX":
            return (kind, self.key, item), self.adding([item], True, False)
        if kind in ("CF.INSERT", "CF.INSERTNX"):
            return (kind, self.key, "ITEMS", *items), self.adding(items, kind == "CF.INSERTNX", True)
        # Counts that are certain now; a later command of the same batch may change them.
        asked = items if kind == "CF.MEXISTS" else [item]
        certain = [self.counts[each] for each in asked]
        return (kind, self.key, *asked), lambda reply: self.check_counts(asked, certain, reply if kind == "CF.MEXISTS" else [reply])

    def adding(self, items, only_new, array):
        # What is certain before the reply: without NX every item is added.
        if not only_new:
            self.counts.update(items)

        def check(reply):
            for item, added in zip(items, several(reply if array else [reply], len(items))):
                if only_new and truth(added):
                    self.counts[item] += 1
                assert only_new or added == 1, f"{item} was not added: {added!r}"

        return check

    def check_delete(self, item, reply):
        assert truth(reply), f"{item} was added, and could not be deleted"

    def check_counts(self, items, certain, replies):
        for item, least, reply in zip(items, certain, several(replies, len(items))):
            assert reply >= min(least, 1) and isinstance(reply, int), f"{item} was added {least} times, and is absent"

    def check_whole(self, connection):
        for item, count in self.counts.items():
            got = connection("CF.COUNT", self.key, item)
            assert got >= count, f"{item} was added {count} times, and {got} are counted"


class Sketch(Model):
    def create(self):
        self.counts = Counter()
        return ("CMS.INITBYDIM", self.key, 2000, 5)

    def command(self):
        items = self.some()
        if self.draw.random() < 0.5:
            certain = [self.counts[item] for item in items]
            total = self.counts.total()
            return ("CMS.QUERY", self.key, *items), lambda reply: self.check(items, certain, total, reply)
        words, certain = [], []
        for item in items:
            amount = self.draw.randrange(100)
            self.counts[item] += amount
            words += [item, amount]
            certain.append(self.counts[item])
        total = self.counts.total()
        return ("CMS.INCRBY", self.key, *words), lambda reply: self.check(items, certain, total, reply)

    def check(self, items, certain, total, replies):
        for item, least, reply in zip(items, certain, several(replies, len(items))):
            assert least <= reply <= total, f"{item} was counted {least} of {total} times, and {reply} is said"

    def check_whole(self, connection):
        items = sorted(self.counts)
        if items:
            self.check(items, [self.counts[i] for i in items], self.counts.total(), connection("CMS.QUERY", self.key, *items))
        assert connection("CMS.INFO", self.key)[5] == self.counts.total()


class Top(Model):
    def create(self):
        self.most = self.draw.choice((1, 5, 20))
        self.added = Counter()
        return ("TOPK.RESERVE", self.key, self.most, 200, 5, "0.9")

    def item(self):
        return f"item{int(self.draw.paretovariate(0.8)) % ITEMS}"

    def command(self):
        kind = self.draw.choice(("TOPK.ADD", "TOPK.ADD", "TOPK.INCRBY", "TOPK.QUERY", "TOPK.LIST"))
        items = self.some()
        if kind == "TOPK.LIST":
            return (kind, self.key, "WITHCOUNT"), self.check_list
        if kind == "TOPK.QUERY":
            return (kind, self.key, *items), lambda reply: [truth(each) for each in several(reply, len(items))]
        amounts = [self.draw.randrange(1, 50) if kind == "TOPK.INCRBY" else 1 for _ in items]
        for item, amount in zip(items, amounts):
            self.added[item] += amount
        words = [word for pair in zip(items, amounts) for word in pair] if kind == "TOPK.INCRBY" else items
        return (kind, self.key, *words), lambda reply: self.check_expelled(items, reply)

    def check_expelled(self, items, replies):
        for reply in several(replies, len(items)):
            assert reply is None or reply.decode() in self.added, f"{reply!r} was expelled, and never added"

    def check_list(self, reply):
        items, counts = reply[::2], reply[1::2]
        assert len(items) == len(set(items)) <= self.most, f"twice, or too many: {items}"
        assert counts == sorted(counts, reverse=True) and all(count > 0 for count in counts), f"not in order: {counts}"
        assert all(item.decode() in self.added for item in items), f"never added: {items}"

    def check_whole(self, connection):
        reply = connection("TOPK.LIST", self.key, "WITHCOUNT")
        self.check_list(reply)
        if reply:
            assert all(connection("TOPK.QUERY", self.key, *reply[::2])), "an item of the list is not in it"
        frequent = [item for item, count in self.added.most_common(1) if count > 0.3 * self.added.total() > 100]
        assert all(item.encode() in reply[::2] for item in frequent), f"{frequent} is a third of all, and not in the list"


MODELS = (Bloom, Cuckoo, Sketch, Top)


def no_error(words, reply):
    assert not isinstance(reply, Refused), f"{words}: {reply}"
    return reply
