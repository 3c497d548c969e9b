// expect: verified
// expect: deadlock flags: -DBUG
// flags: -std=c++17
// large
//
// A small exchange. Two trading desks, each a worker of a pool, run the session of one instrument: they parse the orders, match
// them in a book of their own, and compute statistics. What they share is what an exchange shares: a ledger with one lock per
// account, a board of last prices for many readers, an audit log, and a count of all lots. Meanwhile the main thread watches
// the board; in the end it collects the results and balances the books.
//
// With BUG, a payment locks the two accounts in the order in which it names them. Two desks that settle in opposite
// directions then wait for each other for ever, in a few of the many possible runs.

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace market {

// ---------------------------------------------------------------------------------------------------------------------------
// Quantities. A price is not a volume, and neither is an amount of money.

template <typename Tag, typename Number>
class Quantity {
public:
    using number_type = Number;

    constexpr Quantity() = default;
    explicit constexpr Quantity(Number value) : value_(value) {}

    constexpr Number value() const { return value_; }

    constexpr Quantity& operator+=(Quantity other) {
        value_ += other.value_;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other) {
        value_ -= other.value_;
        return *this;
    }
    friend constexpr Quantity operator+(Quantity one, Quantity other) { return one += other; }
    friend constexpr Quantity operator-(Quantity one, Quantity other) { return one -= other; }
    friend constexpr Quantity operator-(Quantity one) { return Quantity(-one.value_); }
    friend constexpr bool operator==(Quantity one, Quantity other) { return one.value_ == other.value_; }
    friend constexpr bool operator!=(Quantity one, Quantity other) { return one.value_ != other.value_; }
    friend constexpr bool operator<(Quantity one, Quantity other) { return one.value_ < other.value_; }
    friend constexpr bool operator>(Quantity one, Quantity other) { return one.value_ > other.value_; }
    friend constexpr bool operator<=(Quantity one, Quantity other) { return one.value_ <= other.value_; }
    friend constexpr bool operator>=(Quantity one, Quantity other) { return one.value_ >= other.value_; }
    friend std::ostream& operator<<(std::ostream& out, Quantity quantity) { return out << quantity.value_; }

private:
    Number value_{};
};

using Price = Quantity<struct PriceTag, std::int32_t>;     // in ticks
using Volume = Quantity<struct VolumeTag, std::int32_t>;   // in lots
using Money = Quantity<struct MoneyTag, std::int64_t>;     // in ticks times lots
using OrderId = Quantity<struct OrderTag, std::uint32_t>;  // counts from 1 in each session
using AccountId = Quantity<struct AccountTag, std::uint32_t>;

constexpr Money operator*(Price price, Volume volume) {
    return Money(std::int64_t{price.value()} * volume.value());
}

// ---------------------------------------------------------------------------------------------------------------------------
// What can go wrong.

class MarketError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    virtual std::string_view category() const noexcept { return "market"; }
};

class ParseError : public MarketError {
public:
    ParseError(std::size_t line, const std::string& what) : MarketError(describe(line, what)), line_(line) {}
    std::string_view category() const noexcept override { return "syntax"; }
    std::size_t line() const noexcept { return line_; }

private:
    static std::string describe(std::size_t line, const std::string& what) {
        std::ostringstream text;
        text << "line " << line << ": " << what;
        return text.str();
    }
    std::size_t line_;
};

class UnknownName : public MarketError {
public:
    explicit UnknownName(std::string_view name) : MarketError("unknown name: " + std::string(name)) {}
    std::string_view category() const noexcept override { return "reference"; }
};

class InsufficientFunds : public MarketError {
public:
    InsufficientFunds(std::string_view owner, Money missing)
        : MarketError(std::string(owner) + " lacks " + std::to_string(missing.value())), missing_(missing) {}
    std::string_view category() const noexcept override { return "funds"; }
    Money missing() const noexcept { return missing_; }

private:
    Money missing_;
};

// ---------------------------------------------------------------------------------------------------------------------------
// Orders, as a sum of what a client can ask for.

enum class Side : std::uint8_t { Buy, Sell };

constexpr Side opposite(Side side) {
    return side == Side::Buy ? Side::Sell : Side::Buy;
}

std::ostream& operator<<(std::ostream& out, Side side) {
    return out << (side == Side::Buy ? "buy" : "sell");
}

struct LimitOrder {
    Price price;
    Volume volume;
};

struct MarketOrder {
    Volume volume;
};

// Shows only a part of itself at a time.
struct IcebergOrder {
    Price price;
    Volume total;
    Volume shown;
};

// All at once, or nothing.
struct FillOrKill {
    Price price;
    Volume volume;
};

struct CancelOrder {
    OrderId target;
};

using Instruction = std::variant<LimitOrder, MarketOrder, IcebergOrder, FillOrKill, CancelOrder>;

struct Order {
    OrderId id;
    AccountId account;
    Side side = Side::Buy;
    Instruction instruction;
};

template <typename... Cases>
struct Match : Cases... {
    using Cases::operator()...;
};
template <typename... Cases>
Match(Cases...) -> Match<Cases...>;

Volume requested(const Order& order) {
    return std::visit(Match{
                          [](const IcebergOrder& iceberg) { return iceberg.total; },
                          [](const CancelOrder&) { return Volume(0); },
                          [](const auto& plain) { return plain.volume; },
                      },
                      order.instruction);
}

std::optional<Price> limit_of(const Order& order) {
    return std::visit(
        [](const auto& instruction) -> std::optional<Price> {
            using Kind = std::decay_t<decltype(instruction)>;
            if constexpr (std::is_same_v<Kind, MarketOrder> || std::is_same_v<Kind, CancelOrder>) {
                return std::nullopt;
            } else {
                return instruction.price;
            }
        },
        order.instruction);
}

std::ostream& operator<<(std::ostream& out, const Order& order) {
    out << '#' << order.id << ' ' << order.side << ' ';
    std::visit(Match{
                   [&out](const LimitOrder& limit) { out << limit.volume << " at " << limit.price; },
                   [&out](const MarketOrder& market) { out << market.volume << " at any price"; },
                   [&out](const IcebergOrder& iceberg) {
                       out << iceberg.total << " at " << iceberg.price << " showing " << iceberg.shown;
                   },
                   [&out](const FillOrKill& all) { out << all.volume << " at " << all.price << " or nothing"; },
                   [&out](const CancelOrder& cancel) { out << "cancel #" << cancel.target; },
               },
               order.instruction);
    return out;
}

// ---------------------------------------------------------------------------------------------------------------------------
// The clients of the exchange, and a directory of their names.

struct Client {
    std::string_view name;
    Money money;
};

constexpr std::array<Client, 4> clients{{
    {"house", Money(0)},
    {"ann", Money(5'000)},
    {"bob", Money(5'000)},
    {"cyd", Money(100)},
}};

// The exchange's own account, which earns the fees.
constexpr AccountId house(0);

// Every desk has a directory of its own, so that nobody waits for anybody to look up a name.
class Directory {
public:
    Directory() {
        for (const Client& client : clients) {
            add(std::string(client.name));
        }
    }

    // Names point into the directory itself.
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    AccountId add(std::string name) {
        const AccountId id(static_cast<std::uint32_t>(names_.size()));
        const auto [entry, fresh] = numbers_.emplace(std::move(name), id);
        if (!fresh) {
            throw MarketError("account " + entry->first + " exists already");
        }
        names_.push_back(entry->first);
        return id;
    }

    AccountId find(std::string_view name) const {
        const auto entry = numbers_.find(name);
        if (entry == numbers_.end()) {
            throw UnknownName(name);
        }
        return entry->second;
    }

    std::string_view name(AccountId account) const { return names_.at(account.value()); }
    std::size_t size() const { return names_.size(); }

private:
    std::map<std::string, AccountId, std::less<>> numbers_;
    std::vector<std::string_view> names_;
};

// ---------------------------------------------------------------------------------------------------------------------------
// The language of orders, one per line:
//     buy ann 5 @ 101          sell bob 3 market         sell bob 9 @ 99 show 3
//     buy ann 4 @ 100 kill     cancel ann 2              # a comment

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr std::string_view blank = " \t\r";
    for (std::size_t at = line.find_first_not_of(blank); at != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(blank, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(blank, end);
    }
    return words;
}

template <typename Result>
Result number(std::string_view word, std::size_t line) {
    typename Result::number_type value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range) {
        throw ParseError(line, "number too large: " + std::string(word));
    }
    if (error != std::errc() || end != word.data() + word.size() || value <= 0) {
        throw ParseError(line, "expected a positive number: " + std::string(word));
    }
    return Result(value);
}

class OrderParser {
public:
    explicit OrderParser(std::function<AccountId(std::string_view)> account) : account_(std::move(account)) {}

    std::vector<Order> parse(std::string_view script) const {
        std::vector<Order> orders;
        std::size_t line_number = 0;
        while (!script.empty()) {
            const std::size_t end = std::min(script.find('\n'), script.size());
            const std::string_view line = script.substr(0, std::min(end, script.substr(0, end).find('#')));
            script.remove_prefix(std::min(end + 1, script.size()));
            ++line_number;
            if (auto order = parse_line(line, line_number)) {
                order->id = OrderId(static_cast<std::uint32_t>(orders.size() + 1));
                orders.push_back(*order);
            }
        }
        return orders;
    }

private:
    std::optional<Order> parse_line(std::string_view line, std::size_t number_of_line) const {
        const auto words = words_of(line);
        if (words.empty()) {
            return std::nullopt;
        }
        if (words.size() < 3) {
            throw ParseError(number_of_line, "an order has at least three words");
        }
        Order order;
        order.account = account_(words[1]);
        if (words[0] == "cancel") {
            order.instruction = CancelOrder{number<OrderId>(words[2], number_of_line)};
            return order;
        }
        if (words[0] != "buy" && words[0] != "sell") {
            throw ParseError(number_of_line, "expected buy, sell or cancel: " + std::string(words[0]));
        }
        order.side = words[0] == "buy" ? Side::Buy : Side::Sell;
        order.instruction = terms(words, number_of_line);
        return order;
    }

    static Instruction terms(const std::vector<std::string_view>& words, std::size_t line) {
        const auto volume = number<Volume>(words[2], line);
        if (words.size() == 4 && words[3] == "market") {
            return MarketOrder{volume};
        }
        if (words.size() < 5 || words[3] != "@") {
            throw ParseError(line, "expected a price or `market`");
        }
        const auto price = number<Price>(words[4], line);
        if (words.size() == 5) {
            return LimitOrder{price, volume};
        }
        if (words.size() == 6 && words[5] == "kill") {
            return FillOrKill{price, volume};
        }
        if (words.size() == 7 && words[5] == "show") {
            const auto shown = number<Volume>(words[6], line);
            if (shown > volume) {
                throw ParseError(line, "an iceberg cannot show more than it has");
            }
            return IcebergOrder{price, volume, shown};
        }
        throw ParseError(line, "too many words");
    }

    std::function<AccountId(std::string_view)> account_;
};

// ---------------------------------------------------------------------------------------------------------------------------
// What happens in a book.

struct Trade {
    OrderId maker;
    OrderId taker;
    AccountId buyer;
    AccountId seller;
    Price price;
    Volume volume;

    Money worth() const { return price * volume; }
};

struct Rested {
    OrderId order;
    Price price;
    Volume volume;
};

struct Cancelled {
    OrderId order;
    Volume left;
};

struct Rejected {
    OrderId order;
    std::string reason;
};

using Event = std::variant<Trade, Rested, Cancelled, Rejected>;

std::ostream& operator<<(std::ostream& out, const Event& event) {
    std::visit(Match{
                   [&out](const Trade& trade) {
                       out << "trade #" << trade.maker << "/#" << trade.taker << ' ' << trade.volume << " at "
                           << trade.price;
                   },
                   [&out](const Rested& rested) {
                       out << "rest #" << rested.order << ' ' << rested.volume << " at " << rested.price;
                   },
                   [&out](const Cancelled& cancelled) {
                       out << "cancel #" << cancelled.order << " with " << cancelled.left << " left";
                   },
                   [&out](const Rejected& rejected) {
                       out << "reject #" << rejected.order << ": " << rejected.reason;
                   },
               },
               event);
    return out;
}

// ---------------------------------------------------------------------------------------------------------------------------
// The book: orders that wait, best price first, and first come, first served at each price.

struct Waiting {
    OrderId id;
    AccountId account;
    Volume shown;
    Volume hidden;
    Volume slice;  // what an iceberg shows again when the shown part is gone

    Volume left() const { return shown + hidden; }
};

struct Level {
    std::list<Waiting> queue;

    Volume volume() const {
        return std::accumulate(queue.begin(), queue.end(), Volume(0),
                               [](Volume sum, const Waiting& waiting) { return sum + waiting.left(); });
    }
};

template <typename Better>
class HalfBook {
public:
    using Levels = std::map<Price, Level, Better>;

    bool crosses(Price level, std::optional<Price> limit) const { return !limit || !Better{}(*limit, level); }

    Volume available(std::optional<Price> limit, AccountId taker) const {
        Volume sum(0);
        for (const auto& [price, level] : levels_) {
            if (!crosses(price, limit)) {
                break;
            }
            for (const Waiting& waiting : level.queue) {
                sum += waiting.account == taker ? Volume(0) : waiting.left();
            }
        }
        return sum;
    }

    // Takes up to `wanted` from the best levels; `report` hears of every part. Returns what is still wanted.
    template <typename Report>
    Volume take(Volume wanted, std::optional<Price> limit, AccountId taker, Report&& report) {
        for (auto level = levels_.begin(); level != levels_.end() && wanted > Volume(0);) {
            if (!crosses(level->first, limit)) {
                break;
            }
            wanted = take_level(level->first, level->second.queue, wanted, taker, report);
            level = level->second.queue.empty() ? levels_.erase(level) : std::next(level);
        }
        return wanted;
    }

    void add(Price price, Waiting waiting) {
        auto& queue = levels_[price].queue;
        queue.push_back(waiting);
        places_[waiting.id.value()] = price;
    }

    std::optional<Volume> remove(OrderId id, AccountId owner) {
        const auto place = places_.find(id.value());
        if (place == places_.end()) {
            return std::nullopt;
        }
        const auto level = levels_.find(place->second);
        auto& queue = level->second.queue;
        const auto waiting =
            std::find_if(queue.begin(), queue.end(), [id](const Waiting& candidate) { return candidate.id == id; });
        if (waiting == queue.end() || waiting->account != owner) {
            return std::nullopt;
        }
        const Volume left = waiting->left();
        queue.erase(waiting);
        places_.erase(place);
        if (queue.empty()) {
            levels_.erase(level);
        }
        return left;
    }

    const Levels& levels() const { return levels_; }
    bool empty() const { return levels_.empty(); }
    std::optional<Price> best() const { return empty() ? std::nullopt : std::optional(levels_.begin()->first); }

private:
    template <typename Report>
    Volume take_level(Price price, std::list<Waiting>& queue, Volume wanted, AccountId taker, Report& report) {
        for (auto waiting = queue.begin(); waiting != queue.end() && wanted > Volume(0);) {
            if (waiting->account == taker) {
                ++waiting;  // nobody trades with himself
                continue;
            }
            const Volume part = std::min(waiting->shown, wanted);
            waiting->shown -= part;
            wanted -= part;
            report(*waiting, price, part);
            if (waiting->shown > Volume(0)) {
                break;
            }
            if (waiting->hidden > Volume(0)) {
                waiting->shown = std::min(waiting->slice, waiting->hidden);
                waiting->hidden -= waiting->shown;
                const auto refilled = waiting++;
                queue.splice(queue.end(), queue, refilled);  // loses its place in the queue
                if (waiting == queue.end()) {
                    waiting = std::prev(queue.end());
                }
            } else {
                places_.erase(waiting->id.value());
                waiting = queue.erase(waiting);
            }
        }
        return wanted;
    }

    Levels levels_;
    std::unordered_map<std::uint32_t, Price> places_;
};

class Book {
public:
    using Listener = std::function<void(const Event&)>;

    explicit Book(Listener listener) : listener_(std::move(listener)) {}

    void submit(const Order& order) {
        std::visit([this, &order](const auto& instruction) { handle(order, instruction); }, order.instruction);
        check();
    }

    std::optional<Price> best(Side side) const { return side == Side::Buy ? bids_.best() : asks_.best(); }

    Volume depth(Side side) const {
        const auto sum = [](const auto& levels) {
            return std::accumulate(levels.begin(), levels.end(), Volume(0),
                                   [](Volume total, const auto& level) { return total + level.second.volume(); });
        };
        return side == Side::Buy ? sum(bids_.levels()) : sum(asks_.levels());
    }

    void write(std::ostream& out) const {
        const auto row = [&out](std::string_view side, const auto& level) {
            out << "  " << std::left << std::setw(5) << side << std::right << std::setw(6) << level.first << std::setw(6)
                << level.second.volume() << std::setw(4) << level.second.queue.size() << '\n';
        };
        const auto& asks = asks_.levels();
        std::for_each(asks.rbegin(), asks.rend(), [&row](const auto& level) { row("ask", level); });
        for (const auto& level : bids_.levels()) {
            row("bid", level);
        }
    }

private:
    void handle(const Order& order, const LimitOrder& limit) {
        const Volume left = take(order, limit.volume, limit.price);
        rest(order, limit.price, left, left);
    }

    void handle(const Order& order, const MarketOrder& market) {
        if (const Volume left = take(order, market.volume, std::nullopt); left > Volume(0)) {
            emit(Cancelled{order.id, left});
        }
    }

    void handle(const Order& order, const IcebergOrder& iceberg) {
        const Volume left = take(order, iceberg.total, iceberg.price);
        rest(order, iceberg.price, left, iceberg.shown);
    }

    void handle(const Order& order, const FillOrKill& all) {
        const Volume available = order.side == Side::Buy ? asks_.available(all.price, order.account)
                                                         : bids_.available(all.price, order.account);
        if (available < all.volume) {
            emit(Cancelled{order.id, all.volume});
            return;
        }
        const Volume left = take(order, all.volume, all.price);
        assert(left == Volume(0));
    }

    void handle(const Order& order, const CancelOrder& cancel) {
        auto left = bids_.remove(cancel.target, order.account);
        if (!left) {
            left = asks_.remove(cancel.target, order.account);
        }
        if (left) {
            emit(Cancelled{cancel.target, *left});
        } else {
            emit(Rejected{order.id, "nothing of yours to cancel"});
        }
    }

    Volume take(const Order& order, Volume wanted, std::optional<Price> limit) {
        const auto report = [this, &order](const Waiting& maker, Price price, Volume volume) {
            const bool buys = order.side == Side::Buy;
            emit(Trade{maker.id, order.id, buys ? order.account : maker.account, buys ? maker.account : order.account,
                       price, volume});
        };
        return order.side == Side::Buy ? asks_.take(wanted, limit, order.account, report)
                                       : bids_.take(wanted, limit, order.account, report);
    }

    void rest(const Order& order, Price price, Volume left, Volume shown) {
        if (left == Volume(0)) {
            return;
        }
        shown = std::min(left, shown);
        const Waiting waiting{order.id, order.account, shown, left - shown, shown};
        if (order.side == Side::Buy) {
            bids_.add(price, waiting);
        } else {
            asks_.add(price, waiting);
        }
        emit(Rested{order.id, price, left});
    }

    void emit(const Event& event) const { listener_(event); }

    // A book never offers a trade that it has not made, unless somebody would trade with himself.
    void check() const {
        const auto has_no_empty_level = [](const auto& levels) {
            return std::none_of(levels.begin(), levels.end(),
                                [](const auto& level) { return level.second.queue.empty(); });
        };
        assert(has_no_empty_level(bids_.levels()) && has_no_empty_level(asks_.levels()));
    }

    HalfBook<std::greater<Price>> bids_;
    HalfBook<std::less<Price>> asks_;
    Listener listener_;
};

// ---------------------------------------------------------------------------------------------------------------------------
// The opening auction: one price at which most is traded.

struct Clearing {
    Price price;
    Volume volume;
    Volume surplus;
};

std::optional<Clearing> clearing_price(const std::vector<Order>& orders) {
    std::set<Price> prices;
    for (const Order& order : orders) {
        if (const auto limit = limit_of(order)) {
            prices.insert(*limit);
        }
    }
    const auto total = [&orders](Side side, Price price) {
        return std::accumulate(orders.begin(), orders.end(), Volume(0), [side, price](Volume sum, const Order& order) {
            const auto limit = limit_of(order);
            const bool willing = limit && (side == Side::Buy ? *limit >= price : *limit <= price);
            return order.side == side && willing ? sum + requested(order) : sum;
        });
    };
    std::vector<Clearing> candidates;
    std::transform(prices.begin(), prices.end(), std::back_inserter(candidates), [&total](Price price) {
        const Volume demand = total(Side::Buy, price);
        const Volume supply = total(Side::Sell, price);
        const auto [less, more] = std::minmax(demand, supply);
        return Clearing{price, less, more - less};
    });
    const auto worse = [](const Clearing& one, const Clearing& other) {
        return std::make_tuple(one.volume, -other.surplus.value()) < std::make_tuple(other.volume, -one.surplus.value());
    };
    const auto best = std::max_element(candidates.begin(), candidates.end(), worse);
    if (best == candidates.end() || best->volume == Volume(0)) {
        return std::nullopt;
    }
    return *best;
}

// ---------------------------------------------------------------------------------------------------------------------------
// Fees, by schedule.

class FeeSchedule {
public:
    virtual ~FeeSchedule() = default;
    virtual Money fee(const Trade& trade, bool maker) const = 0;
    virtual std::string name() const = 0;
};

class NoFee final : public FeeSchedule {
public:
    Money fee(const Trade&, bool) const override { return Money(0); }
    std::string name() const override { return "none"; }
};

class FlatFee final : public FeeSchedule {
public:
    explicit FlatFee(Money each) : each_(each) {}
    Money fee(const Trade&, bool) const override { return each_; }
    std::string name() const override { return "flat " + std::to_string(each_.value()); }

private:
    Money each_;
};

// Makers pay less than takers; both by the worth of the trade, in steps.
class TieredFee final : public FeeSchedule {
public:
    TieredFee(std::initializer_list<std::pair<const Money, int>> tiers) : per_mille_(tiers) {}

    Money fee(const Trade& trade, bool maker) const override {
        const auto above = per_mille_.upper_bound(trade.worth());
        if (above == per_mille_.begin()) {
            return Money(0);
        }
        const Money full(trade.worth().value() * std::prev(above)->second / 1000);
        return maker ? Money(full.value() / 2) : full;
    }
    std::string name() const override { return "tiered in " + std::to_string(per_mille_.size()) + " steps"; }

private:
    std::map<Money, int> per_mille_;
};

class FeeCatalogue {
public:
    using Maker = std::function<std::unique_ptr<FeeSchedule>()>;

    FeeCatalogue() {
        makers_["none"] = [] { return std::make_unique<NoFee>(); };
        makers_["flat"] = [] { return std::make_unique<FlatFee>(Money(2)); };
        makers_["tiered"] = [] {
            return std::make_unique<TieredFee>(
                std::initializer_list<std::pair<const Money, int>>{{Money(0), 4}, {Money(400), 3}, {Money(900), 2}});
        };
    }

    std::unique_ptr<FeeSchedule> make(const std::string& name) const {
        const auto maker = makers_.find(name);
        if (maker == makers_.end()) {
            throw UnknownName(name);
        }
        return maker->second();
    }

private:
    std::map<std::string, Maker> makers_;
};

// ---------------------------------------------------------------------------------------------------------------------------
// Rules that an order has to pass before it reaches the book.

using Rule = std::function<std::optional<std::string>(const Order&, const Book&)>;

Rule largest_volume(Volume largest) {
    return [largest](const Order& order, const Book&) -> std::optional<std::string> {
        if (requested(order) > largest) {
            return "more than " + std::to_string(largest.value()) + " lots";
        }
        return std::nullopt;
    };
}

// A limit far away from the market is taken for a slip of the finger.
Rule price_band(std::int32_t percent) {
    return [percent](const Order& order, const Book& book) -> std::optional<std::string> {
        const auto limit = limit_of(order);
        const auto reference = book.best(opposite(order.side));
        if (!limit || !reference) {
            return std::nullopt;
        }
        const std::int64_t distance = std::int64_t{limit->value()} - reference->value();
        if (std::abs(distance) * 100 > std::int64_t{reference->value()} * percent) {
            return "price is out of band";
        }
        return std::nullopt;
    };
}

Rule orders_per_account(std::size_t most) {
    auto seen = std::make_shared<std::map<AccountId, std::size_t>>();
    return [seen, most](const Order& order, const Book&) -> std::optional<std::string> {
        if (++(*seen)[order.account] > most) {
            return std::string("too many orders");
        }
        return std::nullopt;
    };
}

class RiskDesk {
public:
    RiskDesk& require(Rule rule) {
        rules_.push_back(std::move(rule));
        return *this;
    }

    std::optional<std::string> objection(const Order& order, const Book& book) const {
        for (const Rule& rule : rules_) {
            if (auto reason = rule(order, book)) {
                return reason;
            }
        }
        return std::nullopt;
    }

private:
    std::vector<Rule> rules_;
};

// ---------------------------------------------------------------------------------------------------------------------------
// Statistics of a session.

struct Statistics {
    std::size_t trades = 0;
    Volume volume;
    Money turnover;
    Price low;
    Price high;
    Price last;
    Volume median_volume;
    std::optional<double> average_price;
    std::map<Price, Volume> profile;

    static Statistics of(const std::vector<Trade>& trades) {
        Statistics result;
        result.trades = trades.size();
        if (trades.empty()) {
            return result;
        }
        for (const Trade& trade : trades) {
            result.volume += trade.volume;
            result.turnover += trade.worth();
            result.profile[trade.price] += trade.volume;
        }
        const auto [low, high] = std::minmax_element(
            trades.begin(), trades.end(), [](const Trade& one, const Trade& other) { return one.price < other.price; });
        result.low = low->price;
        result.high = high->price;
        result.last = trades.back().price;
        result.average_price = static_cast<double>(result.turnover.value()) / result.volume.value();
        std::vector<Volume> volumes(trades.size());
        std::transform(trades.begin(), trades.end(), volumes.begin(), [](const Trade& trade) { return trade.volume; });
        const auto middle = volumes.begin() + static_cast<std::ptrdiff_t>(volumes.size() / 2);
        std::nth_element(volumes.begin(), middle, volumes.end());
        result.median_volume = *middle;
        return result;
    }
};

// The mean of the last few prices after each trade.
std::vector<double> moving_average(const std::vector<Trade>& trades, std::size_t window) {
    std::deque<Price> recent;
    std::vector<double> means;
    std::int64_t sum = 0;
    for (const Trade& trade : trades) {
        recent.push_back(trade.price);
        sum += trade.price.value();
        if (recent.size() > window) {
            sum -= recent.front().value();
            recent.pop_front();
        }
        means.push_back(static_cast<double>(sum) / static_cast<double>(recent.size()));
    }
    return means;
}

// ---------------------------------------------------------------------------------------------------------------------------
// Clearing: many trades become few payments.

struct Payment {
    AccountId from;
    AccountId to;
    Money amount;
};

// Nets the trades to one balance per account.
std::map<AccountId, Money> balances_of(const std::vector<Trade>& trades, const FeeSchedule& fees) {
    std::map<AccountId, Money> balances;
    for (const Trade& trade : trades) {
        const bool buyer_made = trade.maker < trade.taker;
        const Money of_buyer = fees.fee(trade, buyer_made);
        const Money of_seller = fees.fee(trade, !buyer_made);
        balances[trade.buyer] -= trade.worth() + of_buyer;
        balances[trade.seller] += trade.worth() - of_seller;
        balances[house] += of_buyer + of_seller;
    }
    return balances;
}

// Turns balances into payments: the largest debtor pays the largest creditor, until all are even.
std::vector<Payment> payments_for(const std::map<AccountId, Money>& balances) {
    using Entry = std::pair<Money, AccountId>;
    const auto smaller = [](const Entry& one, const Entry& other) {
        return one.first < other.first || (one.first == other.first && other.second < one.second);
    };
    std::priority_queue<Entry, std::vector<Entry>, decltype(smaller)> debtors(smaller);
    std::priority_queue<Entry, std::vector<Entry>, decltype(smaller)> creditors(smaller);
    for (const auto& [account, balance] : balances) {
        if (balance < Money(0)) {
            debtors.emplace(-balance, account);
        } else if (balance > Money(0)) {
            creditors.emplace(balance, account);
        }
    }
    std::vector<Payment> payments;
    while (!debtors.empty() && !creditors.empty()) {
        const auto [debt, debtor] = debtors.top();
        const auto [credit, creditor] = creditors.top();
        debtors.pop();
        creditors.pop();
        const Money amount = std::min(debt, credit);
        payments.push_back(Payment{debtor, creditor, amount});
        if (debt > amount) {
            debtors.emplace(debt - amount, debtor);
        }
        if (credit > amount) {
            creditors.emplace(credit - amount, creditor);
        }
    }
    assert(debtors.empty() && creditors.empty());
    return payments;
}

// ---------------------------------------------------------------------------------------------------------------------------
// The ledger: money of accounts, with one lock for each.

class Ledger {
public:
    void open(AccountId account, Money money) {
        assert(account.value() == accounts_.size());
        accounts_.emplace_back(money);
    }

    void transfer(const Payment& payment, const Directory& directory) {
        Account& from = at(payment.from);
        Account& to = at(payment.to);
#ifdef BUG
        const std::lock_guard payer(from.mutex);
        const std::lock_guard payee(to.mutex);
#else
        const std::scoped_lock both(from.mutex, to.mutex);
#endif
        if (from.money < payment.amount) {
            throw InsufficientFunds(directory.name(payment.from), payment.amount - from.money);
        }
        from.money -= payment.amount;
        to.money += payment.amount;
    }

    Money balance(AccountId account) {
        Account& found = at(account);
        const std::lock_guard lock(found.mutex);
        return found.money;
    }

    // Only when nobody transfers any more.
    Money total() const {
        return std::accumulate(accounts_.begin(), accounts_.end(), Money(0),
                               [](Money sum, const Account& account) { return sum + account.money; });
    }

private:
    struct Account {
        explicit Account(Money start) : money(start) {}
        std::mutex mutex;
        Money money;
    };

    Account& at(AccountId account) { return accounts_.at(account.value()); }

    std::deque<Account> accounts_;  // never moves its elements
};

// ---------------------------------------------------------------------------------------------------------------------------
// The board of last prices: written seldom, read by many.

class PriceBoard {
public:
    struct Quote {
        Price last;
        Volume volume;
    };

    void post(std::size_t instrument, Quote quote) {
        const std::unique_lock lock(mutex_);
        quotes_.at(instrument) = quote;
        ++posted_;
    }

    std::optional<Quote> look(std::size_t instrument) const {
        const std::shared_lock lock(mutex_);
        const Quote& quote = quotes_.at(instrument);
        return quote.volume > Volume(0) ? std::optional(quote) : std::nullopt;
    }

    std::size_t posted() const {
        const std::shared_lock lock(mutex_);
        return posted_;
    }

private:
    static constexpr std::size_t instruments_max = 4;

    mutable std::shared_mutex mutex_;
    std::array<Quote, instruments_max> quotes_{};
    std::size_t posted_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------------
// The audit log: every entry is chained to the one before it, so that none can be removed unnoticed.

using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 1000>>;

class AuditLog {
public:
    enum class What : std::uint8_t { Opened, Settled, Refused, Closed };

    struct Entry {
        std::uint64_t number;
        Ticks time;
        What what;
        std::uint32_t instrument;
        std::uint64_t chain;
    };

    AuditLog() { entries_.reserve(entries_expected); }

    void write(What what, std::uint32_t instrument) {
        const std::lock_guard lock(mutex_);
        const std::uint64_t before = entries_.empty() ? seed : entries_.back().chain;
        const std::uint64_t number = entries_.size() + 1;
        entries_.push_back(Entry{number, Ticks(static_cast<std::int64_t>(5 * number)), what, instrument,
                                 link(before, number, what, instrument)});
    }

    // Only when nobody writes any more.
    bool intact() const {
        std::uint64_t chain = seed;
        return std::all_of(entries_.begin(), entries_.end(), [&chain](const Entry& entry) {
            chain = link(chain, entry.number, entry.what, entry.instrument);
            return chain == entry.chain;
        });
    }

    const std::vector<Entry>& entries() const { return entries_; }

    void forge(std::size_t index, What what) { entries_.at(index).what = what; }

private:
    static constexpr std::uint64_t seed = 0xcbf29ce484222325;
    static constexpr std::size_t entries_expected = 16;

    static std::uint64_t link(std::uint64_t before, std::uint64_t number, What what, std::uint32_t instrument) {
        const std::array<std::uint64_t, 3> parts{number, static_cast<std::uint64_t>(what), instrument};
        return std::accumulate(parts.begin(), parts.end(), before, [](std::uint64_t hash, std::uint64_t part) {
            return (hash ^ part) * 0x100000001b3;
        });
    }

    std::mutex mutex_;
    std::vector<Entry> entries_;
};

std::string_view to_text(AuditLog::What what) {
    static constexpr std::array<std::string_view, 4> names{"opened", "settled", "refused", "closed"};
    return names.at(static_cast<std::size_t>(what));
}

// ---------------------------------------------------------------------------------------------------------------------------
// A pool of workers that take jobs from one queue.

template <typename Result>
class WorkerPool {
public:
    using Job = std::packaged_task<Result()>;

    WorkerPool() = default;
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    ~WorkerPool() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
        for (std::thread& worker : workers_) {
            worker.join();
        }
        assert(jobs_.empty());
    }

    void start(std::size_t workers) {
        workers_.reserve(workers);
        for (std::size_t number = 0; number < workers; ++number) {
            workers_.emplace_back([this] { work(); });
        }
    }

    std::future<Result> submit(Job job) {
        auto result = job.get_future();
        {
            const std::lock_guard lock(mutex_);
            jobs_.push_back(std::move(job));
        }
        changed_.notify_one();
        return result;
    }

private:
    void work() {
        while (auto job = next()) {
            (*job)();
        }
    }

    std::optional<Job> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
        if (jobs_.empty()) {
            return std::nullopt;
        }
        std::optional<Job> job(std::move(jobs_.front()));
        jobs_.pop_front();
        return job;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    bool closed_ = false;
    std::vector<std::thread> workers_;
};

// ---------------------------------------------------------------------------------------------------------------------------
// A session of one instrument: everything in it belongs to the desk that runs it.

struct Instrument {
    std::uint32_t number;
    std::string_view symbol;
    std::string_view fees;
    std::string_view script;
};

class Session {
public:
    explicit Session(Volume largest)
        : parser_([this](std::string_view name) { return directory_.find(name); }),
          book_([this](const Event& event) { note(event); }) {
        risk_.require(largest_volume(largest)).require(price_band(20)).require(orders_per_account(8));
    }

    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void run(std::string_view script) {
        for (const Order& order : parser_.parse(script)) {
            if (auto reason = risk_.objection(order, book_)) {
                note(Rejected{order.id, std::move(*reason)});
            } else {
                book_.submit(order);
            }
        }
    }

    const std::vector<Trade>& trades() const { return trades_; }
    const std::vector<std::string>& journal() const { return journal_; }
    const Book& book() const { return book_; }
    const Directory& directory() const { return directory_; }

    template <typename Kind>
    std::size_t count() const {
        const auto kind = Event(Kind{}).index();
        const auto found = kinds_.find(kind);
        return found == kinds_.end() ? 0 : found->second;
    }

private:
    void note(const Event& event) {
        ++kinds_[event.index()];
        if (const auto* trade = std::get_if<Trade>(&event)) {
            trades_.push_back(*trade);
        }
        std::ostringstream text;
        text << event;
        journal_.push_back(text.str());
    }

    Directory directory_;
    OrderParser parser_;
    Book book_;
    RiskDesk risk_;
    std::vector<Trade> trades_;
    std::vector<std::string> journal_;
    std::unordered_map<std::size_t, std::size_t> kinds_;
};

// What a desk hands over: plain values.
struct Outcome {
    std::uint32_t instrument = 0;
    std::uint32_t trades = 0;
    std::uint32_t payments = 0;
    Volume volume;
    Price last;
    Money fees;
};

// ---------------------------------------------------------------------------------------------------------------------------
// The exchange: what desks share.

class Exchange {
public:
    Exchange() {
        std::uint32_t number = 0;
        for (const Client& client : clients) {
            ledger_.open(AccountId(number++), client.money);
        }
    }

    // Runs on a worker: a session, then its settlement.
    Outcome trade(const Instrument& instrument) {
        const auto session = std::make_unique<Session>(Volume(50));
        session->run(instrument.script);
        const auto fees = FeeCatalogue().make(std::string(instrument.fees));
        const auto balances = balances_of(session->trades(), *fees);
        const auto payments = payments_for(balances);
        const auto statistics = Statistics::of(session->trades());

        for (const Payment& payment : payments) {
            ledger_.transfer(payment, session->directory());
        }
        board_.post(instrument.number, PriceBoard::Quote{statistics.last, statistics.volume});
        lots_.fetch_add(static_cast<std::uint64_t>(statistics.volume.value()), std::memory_order_relaxed);
        audit_.write(AuditLog::What::Settled, instrument.number);

        Outcome outcome;
        outcome.instrument = instrument.number;
        outcome.trades = static_cast<std::uint32_t>(statistics.trades);
        outcome.payments = static_cast<std::uint32_t>(payments.size());
        outcome.volume = statistics.volume;
        outcome.last = statistics.last;
        const auto earned = balances.find(house);
        outcome.fees = earned == balances.end() ? Money(0) : earned->second;
        return outcome;
    }

    void note(AuditLog::What what, std::uint32_t instrument) { audit_.write(what, instrument); }

    // Whether the books balance; returns what the house has earned. Only after all desks have closed.
    Money balance(const std::vector<Outcome>& outcomes) {
        const Money funds = std::accumulate(clients.begin(), clients.end(), Money(0),
                                            [](Money sum, const Client& client) { return sum + client.money; });
        assert(ledger_.total() == funds);
        const Money fees = std::accumulate(outcomes.begin(), outcomes.end(), Money(0),
                                           [](Money sum, const Outcome& outcome) { return sum + outcome.fees; });
        assert(ledger_.balance(house) == fees);
        assert(board_.posted() == outcomes.size());
        assert(audit_.intact());
        const Volume volume = std::accumulate(outcomes.begin(), outcomes.end(), Volume(0),
                                              [](Volume sum, const Outcome& outcome) { return sum + outcome.volume; });
        assert(lots_.load(std::memory_order_relaxed) == static_cast<std::uint64_t>(volume.value()));
        return fees;
    }

    void report(std::ostream& out, const std::vector<Outcome>& outcomes, std::future<Money> fees) {
        out << std::left << std::setw(8) << "account" << std::right << std::setw(8) << "money" << '\n';
        std::uint32_t number = 0;
        for (const Client& client : clients) {
            out << std::left << std::setw(8) << client.name << std::right << std::setw(8)
                << ledger_.balance(AccountId(number++)) << '\n';
        }
        for (const Outcome& outcome : outcomes) {
            out << "instrument " << outcome.instrument << ": " << outcome.trades << " trades, " << outcome.volume
                << " lots, last at " << outcome.last << ", settled in " << outcome.payments << '\n';
        }
        for (const AuditLog::Entry& entry : audit_.entries()) {
            const auto seconds = std::chrono::duration<double>(entry.time);
            out << std::fixed << std::setprecision(3) << seconds.count() << "s " << to_text(entry.what) << " "
                << entry.instrument << '\n';
        }
        out << "the house has earned " << fees.get() << '\n';
    }

    const PriceBoard& board() const { return board_; }

private:
    Ledger ledger_;
    PriceBoard board_;
    AuditLog audit_;
    std::atomic<std::uint64_t> lots_{0};
};

// ---------------------------------------------------------------------------------------------------------------------------
// The engine is rehearsed before the market opens: these are the rules of the house.

namespace rehearsal {

std::string journal_of(std::string_view script) {
    Session session(Volume(50));
    session.run(script);
    std::ostringstream text;
    std::copy(session.journal().begin(), session.journal().end(), std::ostream_iterator<std::string>(text, "\n"));
    session.book().write(text);
    return text.str();
}

template <typename Error>
std::string complaint_about(std::string_view script) {
    try {
        journal_of(script);
    } catch (const Error& error) {
        return std::string(error.category()) + ": " + error.what();
    }
    return "no complaint";
}

void priority() {
    const std::string journal = journal_of(
        "sell ann 5 @ 101\n"
        "sell bob 5 @ 100\n"
        "sell cyd 5 @ 100   # later than bob\n"
        "buy  ann 8 @ 101\n");
    assert(journal ==
           "rest #1 5 at 101\n"
           "rest #2 5 at 100\n"
           "rest #3 5 at 100\n"
           "trade #2/#4 5 at 100\n"
           "trade #3/#4 3 at 100\n"
           "  ask     101     5   1\n"
           "  ask     100     2   1\n");
}

void icebergs() {
    const std::string journal = journal_of(
        "sell ann 9 @ 100 show 3\n"
        "sell bob 2 @ 100\n"
        "buy  cyd 6 @ 100\n"
        "buy  bob 9 @ 100\n");
    assert(journal ==
           "rest #1 9 at 100\n"
           "rest #2 2 at 100\n"
           "trade #1/#3 3 at 100\n"
           "trade #2/#3 2 at 100\n"
           "trade #1/#3 1 at 100\n"
           "trade #1/#4 2 at 100\n"
           "trade #1/#4 3 at 100\n"
           "rest #4 4 at 100\n"
           "  bid     100     4   1\n");
}

void all_or_nothing() {
    const std::string journal = journal_of(
        "sell ann 3 @ 100\n"
        "sell bob 3 @ 101\n"
        "buy cyd 7 @ 101 kill\n"
        "buy cyd 6 @ 101 kill\n"
        "buy cyd 1 market\n"
        "cancel ann 1\n");
    assert(journal ==
           "rest #1 3 at 100\n"
           "rest #2 3 at 101\n"
           "cancel #3 with 7 left\n"
           "trade #1/#4 3 at 100\n"
           "trade #2/#4 3 at 101\n"
           "cancel #5 with 1 left\n"
           "reject #6: nothing of yours to cancel\n");
}

void refusals() {
    const std::string journal = journal_of(
        "buy ann 51 @ 100\n"
        "buy ann 5 @ 100\n"
        "sell bob 5 @ 130\n"
        "sell bob 5 @ 79\n"
        "cancel bob 2\n"
        "cancel ann 2\n");
    assert(journal ==
           "reject #1: more than 50 lots\n"
           "rest #2 5 at 100\n"
           "reject #3: price is out of band\n"
           "reject #4: price is out of band\n"
           "reject #5: nothing of yours to cancel\n"
           "cancel #2 with 5 left\n");
    assert(complaint_about<ParseError>("buy ann 5 @ 100\n\nbye ann 5 @ 99\n") ==
           "syntax: line 3: expected buy, sell or cancel: bye");
    assert(complaint_about<ParseError>("buy ann -5 @ 100") == "syntax: line 1: expected a positive number: -5");
    assert(complaint_about<ParseError>("buy ann 99999999999 market") == "syntax: line 1: number too large: 99999999999");
    assert(complaint_about<ParseError>("sell bob 2 @ 9 show 3") ==
           "syntax: line 1: an iceberg cannot show more than it has");
    assert(complaint_about<MarketError>("buy dan 5 @ 100") == "reference: unknown name: dan");
}

void auction() {
    const Directory directory;
    const OrderParser parser([&directory](std::string_view name) { return directory.find(name); });
    const auto orders = parser.parse(
        "buy ann 10 @ 103\nbuy bob 10 @ 101\nbuy cyd 5 @ 99\n"
        "sell ann 6 @ 98\nsell bob 8 @ 100\nsell cyd 9 @ 102\n");
    const auto clearing = clearing_price(orders);
    assert(clearing && clearing->volume == Volume(14) && clearing->price == Price(100));
    assert(!clearing_price(parser.parse("buy ann 1 @ 9\nsell bob 1 @ 10\n")));
    std::ostringstream text;
    text << orders.front() << "; " << orders.back();
    assert(text.str() == "#1 buy 10 at 103; #6 sell 9 at 102");
}

void clearing_house() {
    const AccountId ann(1), bob(2), cyd(3);
    const std::vector<Trade> trades{
        {OrderId(1), OrderId(2), ann, bob, Price(100), Volume(5)},
        {OrderId(3), OrderId(4), bob, cyd, Price(110), Volume(2)},
        {OrderId(5), OrderId(6), cyd, ann, Price(90), Volume(1)},
    };
    const auto statistics = Statistics::of(trades);
    assert(statistics.volume == Volume(8) && statistics.turnover == Money(810));
    assert(statistics.low == Price(90) && statistics.high == Price(110) && statistics.last == Price(90));
    assert(statistics.median_volume == Volume(2) && statistics.profile.size() == 3);
    assert(statistics.average_price && *statistics.average_price > 101.2 && *statistics.average_price < 101.3);
    assert((moving_average(trades, 2) == std::vector<double>{100.0, 105.0, 100.0}));

    const auto tiered = FeeCatalogue().make("tiered");
    const auto balances = balances_of(trades, *tiered);
    const Money sum = std::accumulate(balances.begin(), balances.end(), Money(0),
                                      [](Money total, const auto& entry) { return total + entry.second; });
    assert(sum == Money(0) && balances.at(house) > Money(0));
    const auto payments = payments_for(balances);
    assert(payments.size() <= 3 && payments.front().from == ann && payments.front().to == bob);
    assert(tiered->name() == "tiered in 3 steps" && FeeCatalogue().make("flat")->name() == "flat 2");
}

void ledger_and_log() {
    const Directory directory;
    Ledger ledger;
    for (std::uint32_t number = 0; number < directory.size(); ++number) {
        ledger.open(AccountId(number), Money(100));
    }
    ledger.transfer({AccountId(1), AccountId(2), Money(70)}, directory);
    try {
        ledger.transfer({AccountId(1), AccountId(3), Money(70)}, directory);
        assert(false);
    } catch (const InsufficientFunds& error) {
        assert(error.missing() == Money(40) && std::string(error.what()) == "ann lacks 40");
    }
    assert(ledger.balance(AccountId(2)) == Money(170) && ledger.total() == Money(400));

    AuditLog log;
    log.write(AuditLog::What::Opened, 0);
    log.write(AuditLog::What::Settled, 0);
    assert(log.intact());
    log.forge(0, AuditLog::What::Refused);
    assert(!log.intact());
}

// What goes wrong at a desk reaches whoever waits for its result.
void spoilt_orders() {
    std::packaged_task<Outcome(const Instrument&)> desk(
        [exchange = std::make_shared<Exchange>()](const Instrument& instrument) { return exchange->trade(instrument); });
    auto result = desk.get_future();
    desk(Instrument{2, "IRON", "flat", "buy ann 2 @ 10\nbuy ann five @ 10\n"});
    try {
        result.get();
        assert(false);
    } catch (const ParseError& error) {
        assert(error.line() == 2);
    }
    desk.reset();
    result = desk.get_future();
    desk(Instrument{2, "IRON", "flat", "buy ann 2 @ 10\nsell bob 1 @ 10\n"});
    const Outcome outcome = result.get();
    assert(outcome.trades == 1 && outcome.fees == Money(4) && outcome.payments == 2);
}

void all() {
    const std::map<std::string, std::function<void()>> acts{
        {"priority", priority},   {"icebergs", icebergs}, {"all or nothing", all_or_nothing},
        {"refusals", refusals},   {"auction", auction},   {"clearing house", clearing_house},
        {"ledger", ledger_and_log}, {"spoilt orders", spoilt_orders},
    };
    for (const auto& [name, act] : acts) {
        act();
    }
}

}  // namespace rehearsal

// Two instruments whose trades lead to payments in opposite directions.
constexpr std::array<Instrument, 2> instruments{{
    {0, "STEAM", "none",
     "sell bob 9 @ 101\n"
     "sell bob 4 @ 100 show 2\n"
     "buy  ann 3 @ 100\n"
     "buy  ann 5 @ 101\n"
     "cancel bob 1\n"},
    {1, "COAL", "none",
     "buy  bob 6 @ 52\n"
     "sell ann 2 market\n"
     "sell ann 4 @ 52 kill\n"
     "sell ann 1 @ 52\n"},
}};

}  // namespace market

int main() {
    using namespace market;
    rehearsal::all();

    const auto exchange = std::make_unique<Exchange>();
    exchange->note(AuditLog::What::Opened, 0);
    std::vector<std::future<Outcome>> results;
    auto pool = std::make_unique<WorkerPool<Outcome>>();
    for (const Instrument& instrument : instruments) {
        results.push_back(pool->submit(
            std::packaged_task<Outcome()>([&exchange = *exchange, &instrument] { return exchange.trade(instrument); })));
    }
    pool->start(instruments.size());
    if (const auto quote = exchange->board().look(0)) {
        assert(quote->last == Price(101) && quote->volume == Volume(8));
    }
    pool.reset();  // waits for the desks to finish
    std::vector<Outcome> outcomes;
    std::transform(results.begin(), results.end(), std::back_inserter(outcomes),
                   [](std::future<Outcome>& result) { return result.get(); });
    exchange->note(AuditLog::What::Closed, 0);

    // The report is written while the books are still being balanced.
    std::promise<Money> fees;
    auto report = std::async(std::launch::async, [&exchange = *exchange, &outcomes, earned = fees.get_future()]() mutable {
        std::ostringstream text;
        exchange.report(text, outcomes, std::move(earned));
        std::cout << text.str();
    });
    fees.set_value(exchange->balance(outcomes));
    report.get();
    return 0;
}
