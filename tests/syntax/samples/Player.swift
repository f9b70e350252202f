import Foundation

typealias Names = [String]

class Player: Base {
    var score = 0
    let limit: Int = 10

    var level: Int {
        return score > 10 ? 2 : 1
    }

    init(name: String) {
        self.name = name
    }

    deinit {
        stop()
    }

    func play(card: Int, _ times: Int) -> Int {
        if card > 0 && times > 0 || limit == 0 { // if, &&, ||
            return 0
        }
        guard let one = first else { // guard
            return 1
        }
        for other in others { // for
            while other.waits { // while
            }
        }
        switch card {
        case 1, 2: // case
            break
        default:
            break
        }
        do {
            try run()
        } catch { // catch
            return 2
        }
        let twice = { (n: Int) -> Int in n > 0 ? n * 2 : 0 } // conditional, of the closure
        return twice(card) ?? 0 // ??
    }

    static func make() -> Player { return Player(name: "") }
}

struct Card {
    let value: Int
}

enum Suit {
    case hearts
    func red() -> Bool { return true }
}

protocol Playing {
    func play()
}

extension Card: Playing {
    func play() {}
}

func shuffle<T>(cards: [T]) -> [T] {
    return cards
}
