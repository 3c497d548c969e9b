// expect: verified
// expect: assertion flags: -DBROKEN
//
// The multiagent manufacturing problem: agents with different abilities share out jobs, each of which takes some time
// and needs some resources to itself. The instance is in the file that the argument names (`cargo xtask mamp generate`
// writes one); without it, it is a small one:
//
//   dampf plan models/plan/mamp.cc
//   cargo xtask mamp generate --agents 5 --jobs 20 --seed 1 > shop.txt
//   dampf plan models/plan/mamp.cc --file shop.txt --gantt shop.svg -- shop.txt
//
// One atomic section is one unit of time. An agent that has a job works on it; one that has none takes any job that it is
// able to do and whose resources are free, unless a planner has assigned one to it. What is assigned stands on a board
// that all agents see, so that nobody takes what was meant for somebody else.
//
// With -DBROKEN an agent trusts the planner, or its own look at the board, without looking at the resources again.
#include <dampf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { AGENTS_MAX = 16, JOBS_MAX = 128, RESOURCES_MAX = 128, NO_JOB = 0 };

// A set of numbers below 128.
struct Set {
    uint64_t low, high;

    void add(int member) { (member < 64 ? low : high) |= uint64_t(1) << member % 64; }
    bool has(int member) const { return (member < 64 ? low : high) >> member % 64 & 1; }
    bool meets(const Set &other) const { return (low & other.low) | (high & other.high); }
    bool is_within(const Set &other) const { return !((low & ~other.low) | (high & ~other.high)); }
    void add_all(const Set &other) { low |= other.low, high |= other.high; }
    void remove_all(const Set &other) { low &= ~other.low, high &= ~other.high; }
};

struct Job {
    Set required;
    int duration;
    // The work that has to wait while this job is done, and how few can do it: what is gained by starting it early.
    int weight;
};

// The instance, which does not change. Jobs count from 1.
static int agent_count, job_count, resource_count;
static Job jobs[JOBS_MAX + 1];
static Set able[AGENTS_MAX]; // the jobs that each agent can do

// How things stand.
static Set taken;    // jobs that somebody does or has done
static Set in_use;   // resources
static int jobs_left; // that nobody has taken
static long handed_out; // the weight of the jobs that were taken
static int assigned[AGENTS_MAX]; // the board: the job that each agent does, or is advised to do next

static void take(int agent, int job) {
    VASSERT(!taken.has(job) && !jobs[job].required.meets(in_use));
    taken.add(job);
    in_use.add_all(jobs[job].required);
    jobs_left--;
    handed_out += jobs[job].weight;
    EVALUATE(handed_out);
    assigned[agent] = job;
}

// Resources that are used, or that others need for what they are advised to do.
static Set unavailable(int agent) {
    Set resources = in_use;
    for (int other = 0; other < agent_count; other++) {
        int job = assigned[other];
        if (other != agent && job != NO_JOB && !taken.has(job)) resources.add_all(jobs[job].required);
    }
    return resources;
}

// A job for an agent, or none: the one that it is advised to do, or any that it can.
static int chosen(int agent) {
    int advised = assigned[agent];
    if (advised != NO_JOB && !taken.has(advised) && !jobs[advised].required.meets(in_use)) return advised;
    if (jobs_left == 0) return NO_JOB;
    Set resources = unavailable(agent);
#ifdef BROKEN
    resources.low = resources.high = 0;
#endif
    int possible[JOBS_MAX], count = 0;
    for (int job = 1; job <= job_count; job++) {
        if (!taken.has(job) && able[agent].has(job) && !jobs[job].required.meets(resources)) possible[count++] = job;
    }
    if (count == 0) return NO_JOB;
    int choice;
    RANGE(choice, 0, count - 1);
    return possible[choice];
}

class Agent : public ICVMThread {
public:
    int number;

protected:
    void run() override {
        int remaining = 0;
        bool is_needed = true;
        SUGGEST(&assigned[number]);
        IDLE
        while (is_needed) {
            BEGINATOMIC
            if (remaining > 0) {
                if (--remaining == 0) {
                    in_use.remove_all(jobs[assigned[number]].required);
                    assigned[number] = NO_JOB;
                    IDLE
                }
            } else {
                int job = chosen(number);
                assigned[number] = NO_JOB;
                if (job != NO_JOB) {
                    take(number, job);
                    remaining = jobs[job].duration;
                    BUSY
                }
            }
            is_needed = remaining > 0 || jobs_left > 0;
            ENDATOMIC
        }
    }
};

static Agent agents[AGENTS_MAX];

static int number_up_to(FILE *file, int most) {
    int digit = getc(file), value = 0;
    while (digit == ' ' || digit == '\n') digit = getc(file);
    bool is_number = digit >= '0' && digit <= '9';
    for (; digit >= '0' && digit <= '9' && value <= most; digit = getc(file)) value = 10 * value + digit - '0';
    if (!is_number || value > most) {
        fprintf(stderr, "the instance is not understood\n");
        exit(2);
    }
    return value;
}

static Set resources_in(FILE *file) {
    Set set = {0, 0};
    int count = number_up_to(file, resource_count);
    while (count-- > 0) set.add(number_up_to(file, resource_count - 1));
    return set;
}

// What is gained by starting a job early.
static void weigh(int number) {
    Job &job = jobs[number];
    int able_agents = 0;
    for (int agent = 0; agent < agent_count; agent++) able_agents += able[agent].has(number);
    job.weight = job.duration * agent_count / (able_agents > 0 ? able_agents : 1);
    for (int other = 1; other <= job_count; other++) {
        if (jobs[other].required.meets(job.required)) job.weight += jobs[other].duration;
    }
}

static void read_instance(const char *path, Set *capabilities) {
    FILE *file = fopen(path, "r");
    if (file == nullptr) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    agent_count = number_up_to(file, AGENTS_MAX);
    job_count = number_up_to(file, JOBS_MAX - 1);
    resource_count = number_up_to(file, RESOURCES_MAX);
    for (int agent = 0; agent < agent_count; agent++) capabilities[agent] = resources_in(file);
    for (int job = 1; job <= job_count; job++) {
        jobs[job].duration = number_up_to(file, 1000000);
        jobs[job].required = resources_in(file);
    }
    fclose(file);
}

// The example of the thesis: two agents, three jobs, five resources.
static void make_example(Set *capabilities) {
    agent_count = 2, job_count = 3, resource_count = 5;
    capabilities[0] = {0x1f, 0}, capabilities[1] = {0x1c, 0};
    jobs[1] = {{0x03, 0}, 2, 0}, jobs[2] = {{0x0c, 0}, 1, 0}, jobs[3] = {{0x14, 0}, 1, 0};
}

int main(int argc, char **argv) {
    Set capabilities[AGENTS_MAX];
    if (argc > 1) {
        read_instance(argv[1], capabilities);
    } else {
        make_example(capabilities);
    }
    for (int agent = 0; agent < agent_count; agent++) {
        for (int job = 1; job <= job_count; job++) {
            if (jobs[job].required.is_within(capabilities[agent])) able[agent].add(job);
        }
    }
    for (int job = 1; job <= job_count; job++) weigh(job);
    jobs_left = job_count;
    BEGINATOMIC
    for (int agent = 0; agent < agent_count; agent++) {
        agents[agent].number = agent;
        agents[agent].start();
    }
    ENDATOMIC
}
