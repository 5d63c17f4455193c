// cpp.cpp - kpred from C++11 or later, no heap, no exceptions: c++ -I. examples/cpp.cpp
//
// KPRED_IMPLEMENTATION goes into one file of a program, above the first include of kpred.h or of a
// model; that file may be C or C++, and the other one may use it: the names have C linkage.
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

// A model with the arena of one beam. A context points into the arena, so it stays where it is; it
// holds nothing that a destructor would have to release. For one thread at a time.
template <std::size_t Beam, std::size_t Words> class predictor
{
  public:
    explicit predictor(const kpred_model &model)
        : status_(kpred_init(&ctx_, KPRED_VERSION, &model, Beam, arena_.data(), Words))
    {
    }
    predictor(const predictor &) = delete;
    predictor &operator=(const predictor &) = delete;

    // Of the constructor. Where it failed, predict answers KPRED_ERR_CONTEXT.
    kpred_status status() const
    {
        return status_;
    }

    // The best tuples, K of them at most; the number of fields comes with the array.
    template <std::size_t Fields, std::size_t K>
    kpred_status predict(const std::array<std::int32_t, Fields> &problem,
                         std::array<kpred_tuple, K> &best, std::size_t &n)
    {
        static_assert(1 <= K && K <= Beam, "k must not exceed the beam");
        return kpred_predict(&ctx_, problem.data(), Fields, best.data(), K, &n);
    }

    bool extrapolated() const
    {
        return ctx_.extrapolated != 0;
    }

  private:
    std::array<std::int32_t, Words> arena_{};
    kpred_ctx ctx_{};
    kpred_status status_;
};

// The generated macro is a constant expression, so it serves as a template argument.
template <std::size_t Beam> using conv_asm_1x1u = predictor<Beam, KPRED_CONV_ASM_1X1U_ARENA(Beam)>;

static void print(const kpred_model &model, const kpred_tuple &tuple)
{
    for (std::uint32_t i = 0; i < model.n_params; i++)
        std::printf("%s=%d ", model.params[i].name, static_cast<int>(tuple.value[i]));
    std::printf("  %.1f %%\n", 100.0 * kpred_probability(tuple.score) / (1 << 24));
}

int main()
{
    static conv_asm_1x1u<10> predictor(kpred_model_conv_asm_1x1u);
    // n c h w k stride
    const std::array<std::int32_t, KPRED_CONV_ASM_1X1U_FIELDS> problem{
        {KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 64, 56, 56, 256, 1}};
    std::array<kpred_tuple, 3> best;
    std::size_t n = 0;
    kpred_status status = predictor.status();
    if (status == KPRED_OK)
        status = predictor.predict(problem, best, n);
    if (status != KPRED_OK)
        std::fprintf(stderr, "%s\n", kpred_status_string(status));
    for (std::size_t i = 0; i < n; i++)
        print(kpred_model_conv_asm_1x1u, best[i]);
    return status == KPRED_OK ? 0 : 1;
}
