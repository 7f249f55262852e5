/// Elements in the order in which they came, each of which can be removed by its place.
///
/// Every operation takes the same time however many elements wait, and room is needed only for as many as ever waited at once. It is a
/// doubly linked list in an array: an ordered dictionary or a deque would move all later elements when one in the middle is removed.
///
/// Elements are objects, so that code for all of them is as fast as code for one: other modules run it unspecialized.
struct WaitingList<Element: AnyObject & Sendable>: Sendable {
    private struct Slot: Sendable {
        var element: Element?
        // 0 is the number of a free slot.
        var number: UInt64
        var previous: Int
        var next: Int
    }

    // The first slot closes the ring: the first element comes after it and the last one before it.
    private var slots = [Slot(element: nil, number: 0, previous: 0, next: 0)]
    // The free slots are linked by `next`; 0 ends them.
    private var free = 0
    private var lastNumber: UInt64 = 0
    /// How many elements wait.
    private(set) var count = 0

    /// For how many elements there is room.
    var capacity: Int { slots.count - 1 }

    /// The element that came first.
    var first: Element? { slots[slots[0].next].element }

    /// Adds an element behind all others.
    mutating func append(_ element: Element) -> WaitingPlace {
        lastNumber += 1
        let slot = Slot(element: element, number: lastNumber, previous: slots[0].previous, next: 0)
        let index: Int
        if free == 0 {
            index = slots.count
            slots.append(slot)
        } else {
            index = free
            free = slots[index].next
            slots[index] = slot
        }
        slots[slot.previous].next = index
        slots[0].previous = index
        count += 1
        return WaitingPlace(slot: index, number: lastNumber)
    }

    /// Removes the element that came first.
    mutating func popFirst() -> Element? { count == 0 ? nil : unlink(slots[0].next) }

    /// Removes the element at a place of this list; `nil` when it was removed before.
    mutating func remove(_ place: WaitingPlace) -> Element? {
        slots[place.slot].number == place.number ? unlink(place.slot) : nil
    }

    private mutating func unlink(_ index: Int) -> Element? {
        let slot = slots[index]
        slots[slot.previous].next = slot.next
        slots[slot.next].previous = slot.previous
        slots[index] = Slot(element: nil, number: 0, previous: 0, next: free)
        free = index
        count -= 1
        return slot.element
    }
}

/// Where an element of a ``WaitingList`` stands. A place is never given twice.
struct WaitingPlace: Sendable, Hashable {
    fileprivate let slot: Int
    fileprivate let number: UInt64
}
