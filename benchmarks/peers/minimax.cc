// OpenSpiel's own alpha-beta and expectiminimax in C++: minimax ROUNDS. Its Python package does not
// reach them, so this is compiled from the source that `pip download --no-binary :all: open-spiel`
// gives, in its folder, with its Abseil built beside it:
//
//   cmake -S open_spiel/abseil-cpp -B absl -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17
//   make -C absl
//   cd open_spiel && g++ -std=c++17 -O2 -DNDEBUG -I.. -Ijson/include -Iabseil-cpp -o minimax \
//     minimax.cc algorithms/minimax.cc games/tic_tac_toe/tic_tac_toe.cc games/pig/pig.cc spiel.cc \
//     spiel_utils.cc game_parameters.cc observer.cc action_view.cc utils/status.cc utils/usage_logging.cc \
//     -Wl,--start-group $(find ../absl -name '*.a') -Wl,--end-group -lpthread
//
// A line for each: the game, whether moves are undone (1) or states copied (0), seconds, the value.

#include <chrono>
#include <cstdio>
#include <string>
#include "open_spiel/algorithms/minimax.h"
#include "open_spiel/spiel.h"
using namespace open_spiel;
static long leaves = 0;
int main(int argc, char** argv) {
  int rounds = std::stoi(argv[1]);
  for (int undo = 0; undo < 2; ++undo) {
    auto game = LoadGame("tic_tac_toe");
    auto t = std::chrono::steady_clock::now();
    double value = 0;
    for (int i = 0; i < rounds; ++i) value = algorithms::AlphaBetaSearch(*game, nullptr, nullptr, -1, 0, undo == 1).first;
    double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
    std::printf("tic_tac_toe %d %.6f %g\n", undo, s / rounds, value);
  }
  auto game = LoadGame("pig(winscore=100,diceoutcomes=6,horizon=1000)");
  auto state = game->NewInitialState();
  auto t = std::chrono::steady_clock::now();
  double value = algorithms::ExpectiminimaxSearch(*game, state.get(), [](const State&) { ++leaves; return 0.0; }, 5, 0).first;
  double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
  std::printf("pig 5 %.6f %g %ld\n", s, value, leaves);
}
