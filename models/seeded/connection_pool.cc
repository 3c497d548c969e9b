// flags: -DCLIENTS=3 -DCONNECTIONS=2
// expect: verified
// expect: deadlock flags: -DBUG_FAILED_QUERY_KEEPS
// expect: assertion flags: -DBUG_GIVEN_BACK_TWICE
// expect: data-race flags: -DBUG_USED_AFTERWARDS
// expect: deadlock flags: -DBUG_TAKES_TWO
//
// Clients share a few connections to a server. A connection is taken for a transaction and given back, also where the
// transaction fails. Seeded:
//
//  BUG_FAILED_QUERY_KEEPS  a transaction that fails does not give its connection back
//  BUG_GIVEN_BACK_TWICE    one that fails gives it back twice, and two clients have the same connection
//  BUG_USED_AFTERWARDS     a client looks at its connection when it has given it back
//  BUG_TAKES_TWO           a transfer takes two connections, one after the other
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef CONNECTIONS
#define CONNECTIONS 1
#endif

class Connection {
public:
    // Sends a query; the server refuses negative ones.
    int query(int value) {
        assert(!is_busy);
        is_busy = true;
        queries++;
        is_busy = false;
        if (value < 0) throw std::runtime_error("refused");
        return value + 1;
    }
    int query_count() const { return queries; }

private:
    bool is_busy = false;
    int queries = 0;
};

class ConnectionPool {
public:
    ConnectionPool() {
        for (Connection &connection : connections) free.push_back(&connection);
    }

    Connection *take() {
        std::unique_lock<std::mutex> lock(mutex);
        while (free.empty()) returned.wait(lock);
        Connection *connection = free.back();
        free.pop_back();
        assert(++users[connection - connections] == 1);
        return connection;
    }

    void give_back(Connection *connection) {
        std::lock_guard<std::mutex> guard(mutex);
        users[connection - connections]--;
        free.push_back(connection);
        returned.notify_one();
    }

    // How many queries were sent, when nobody has a connection.
    int queries() {
        std::lock_guard<std::mutex> guard(mutex);
        int sum = 0;
        for (Connection &connection : connections) sum += connection.query_count();
        return sum;
    }

private:
    std::mutex mutex;
    std::condition_variable returned;
    Connection connections[CONNECTIONS];
    int users[CONNECTIONS] = {};
    std::vector<Connection *> free;
};

// A connection for as long as a transaction takes.
class Lease {
public:
    explicit Lease(ConnectionPool &pool) : pool(pool), connection(pool.take()) {}
    ~Lease() {
        if (connection) pool.give_back(connection);
    }
    Connection &operator*() { return *connection; }
    Connection *release() {
        Connection *released = connection;
        connection = nullptr;
        return released;
    }

private:
    ConnectionPool &pool;
    Connection *connection;
};

class Client {
public:
    Client(ConnectionPool &pool, int number) : pool(pool), number(number) {}

    void run() {
        transact(number);
        // Two clients ask for something that is refused.
        transact(number < 2 ? -1 : number + 10);
#ifdef BUG_TAKES_TWO
        if (number < 2) transfer();
#endif
    }

private:
    void transact(int value) {
        Lease lease(pool);
        try {
            int answer = (*lease).query(value);
            assert(answer == value + 1);
        } catch (const std::runtime_error &) {
#ifdef BUG_FAILED_QUERY_KEEPS
            lease.release();
#endif
#ifdef BUG_GIVEN_BACK_TWICE
            pool.give_back(&*lease);
#endif
            return;
        }
#ifdef BUG_USED_AFTERWARDS
        if (value < 10) return;
        Connection *connection = lease.release();
        pool.give_back(connection);
        sent = connection->query_count();
#endif
    }

#ifdef BUG_TAKES_TWO
    void transfer() {
        Lease from(pool);
        Lease to(pool);
        (*to).query((*from).query(1));
    }
#endif

    ConnectionPool &pool;
    int number;
#ifdef BUG_USED_AFTERWARDS
    int sent = 0;
#endif
};

int main() {
    ConnectionPool pool;
    std::vector<Client> clients;
    for (int i = 0; i < CLIENTS; i++) clients.emplace_back(pool, i);
    std::vector<std::thread> threads;
    for (Client &client : clients) threads.emplace_back([&client] { client.run(); });
    for (std::thread &thread : threads) thread.join();
    assert(pool.queries() >= 2 * CLIENTS);
    return 0;
}
