"""The known errata: those that a match refutes, and those that are explained in words."""

from __future__ import annotations

from functools import partial

from arena.papers.errata.erratum import Erratum
from arena.papers.errata.matches import (
    alternating,
    first_accepted,
    least_beta,
    one_point,
    turning_line,
    twins,
    two_experts,
)

HALF_SURE = f"beta={least_beta(100_000, 0.5, 0.5)!r}"  # of KORS for 100,000 rounds, delta = 1/2, epsilon = 1/2
SURE = least_beta(1, 0.001, 0.5)  # for one round, delta = 1/1000
TWINS = "alpha=31.6, gamma=1e-6"
NIPS, ICML = (f"beta={SURE!r}, {{ridge}}={gamma}" for gamma in (6000, 4400))

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "pkawv-growing-printed",
        "pkawv-growing",
        "It speaks of any sequence of subspaces, but the proof needs that each contains the one before it. So nothing "
        "is known of dictionaries that drop points. Three rounds on a line that turns exceed the bound.",
        turning_line,
        shows="incomplete",
        lacks="each subspace contains the one before it",
    ),
    Erratum(
        "ewa-printed",
        "ewa",
        "Exp-concavity is used on [0, B], where the rate is 1/(2 B^2), but labels and predictions lie in [-B, B], "
        "where it is 1/(8 B^2); and experts are not clipped. Two experts that always say B and -B, aggregated with "
        "the former rate, lose more and more to alternating labels.",
        two_experts,
    ),
    Erratum(
        "kons-printed(alpha=0.01)",
        "kons-horizon(alpha=0.01)",
        "1 + log(1 + sigma L^2 T / alpha) is replaced by 2 log(2 sigma L^2 T), which is smaller for small alpha, and "
        "negative where sigma L^2 T < 1/2: for the loss 0.2 (z - 1)^2 with C = 1, one round and alpha = 0.01 the "
        "regret is 0.1995 and the printed bound -0.69. For the squared loss, where sigma L^2 = 2, no match is known "
        "that exceeds the bound, but the step of the proof fails already in one round; `kons-effective-dimension` "
        "needs no such condition.",
        partial(alternating, "kons(alpha=0.01)", 1),
        shows="unproved",
        lacks="1 + log(1 + sigma L^2 T / alpha) <= 2 log(2 sigma L^2 T)",
    ),
    Erratum(
        "sketched-kons-regret-printed(alpha=0.01, beta=691, epsilon=0.1)",
        "sketched-kons-regret(alpha=0.01, beta=691, epsilon=0.1)",
        "beta tau_min may exceed one, so that the sketch would have less regret than the whole matrix; it must be "
        "min(1, beta tau_min). One round exceeds the bound, whatever the coins.",
        partial(alternating, "sketched-kons(alpha=0.01, beta=691, epsilon=0.1)", 1),
    ),
    Erratum(
        "pros-n-kons-regret-printed",
        "pros-n-kons-regret",
        "L^2/alpha must be counted once an epoch, 2JC is a loss and needs a factor L, the proof has |w| for |w|^2, J "
        "<= 3 beta d_eff log(2T) lacks rho = (1 + epsilon)/(1 - epsilon), and that the epoch's comparator lies in S "
        "is not shown. No match is known that exceeds the bound: with the parameters of the experiments and squared "
        "loss its linear term alone is as large as any loss, 4 C^2 T, so that it says nothing.",
        partial(alternating, "pros-n-kons", 100),
        shows="empty",
    ),
    Erratum(
        f"pros-n-kons-squared-printed({TWINS})",
        f"pros-n-kons-squared({TWINS})",
        "Its proof keeps eps' alpha |w|^2 where alpha |w|^2 is meant: a learner that starts afresh J times pays for "
        "the comparator's norm J times. Two points that are nearly the same, with opposite labels, exceed the bound.",
        partial(twins, f"pros-n-kons({TWINS})", 1000),
    ),
    Erratum(
        f"kors-size-printed({HALF_SURE}, delta=0.5)",
        f"kors-size({HALF_SURE}, delta=0.5)",
        "The factor 12 of beta = 12 log(n / delta) was dropped. One repeated point exceeds the bound with every one "
        "of 20 seeds, though it should hold with probability 1/2.",
        partial(one_point, f"pkawv-kors({HALF_SURE})", 100_000),
    ),
    Erratum(
        f"kors-size-nips-printed({NIPS.format(ridge='ridge')}, delta=0.001)",
        f"kors-size({NIPS.format(ridge='ridge')}, delta=0.001)",
        "Where far less than one point is expected, the bound is below one, and a single point exceeds it: in the one "
        "round of this match with a probability of about 2 %, where 0.1 % is promised.",
        partial(first_accepted, f"pkawv-kors({NIPS.format(ridge='mu')})"),
    ),
    Erratum(
        f"kors-size-icml-printed({ICML.format(ridge='ridge')}, delta=0.001)",
        f"kors-size({ICML.format(ridge='ridge')}, delta=0.001)",
        "The same: a probability of about 3 %, where 0.1 % is promised.",
        partial(first_accepted, f"pkawv-kors({ICML.format(ridge='mu')})"),
    ),
)

KONS = "Calandriello, Lazaric and Valko 2017 (ICML)"
PROS = "Calandriello, Lazaric and Valko 2017 (NIPS)"
PKAWV = "Jezequel, Gaillard and Rudi 2019"
DUAL = "Le, Nguyen and Phung 2022"

IN_WORDS: tuple[tuple[str, str], ...] = (
    (
        f"{KONS}, section 3, the coefficients b_t",
        "0/0 where g_t = 0 while the projection is active, as with squared loss and the label C at one point: NaN "
        "from round 3 on. The coefficients c_t = eta_t g_t^2 p_t - g_t - h/q_t, not divided by g_t sqrt(eta_t), are "
        "always defined; `kons` uses them.",
    ),
    (
        f"{KONS}, the lemma for Sketched-KONS",
        "The first term of the coefficient lacks the coin z_t: it is z_t eta_t g_t^2 p_t - g_t - h/q_t. Without it "
        "the one-shot form is not the recursion; predictions differ by up to 1.8 on data within [-1, 1].",
    ),
    (
        f"{KONS}, Theorem 1",
        "Its proof gives half of what it states: R(w) <= (alpha |w|^2 + R_G + R_D) / 2. Not wrong, but "
        "`kons-gradients` and `kons-logdet` are twice as sharp, and attained.",
    ),
    (
        f"{KONS} and {PROS}, the leverage of KORS",
        "The formula's k must be the number k(x_t, x_t), not the column of the kernel matrix; the estimate is of "
        "tau_{t,t}; rounds run from 1 to T. At epsilon = 1, which is allowed, everything divides by zero.",
    ),
    (
        f"{PROS}, the listing of PROS-N-KONS",
        "eta_t is listed as an input, and the theorems ask for eta_t >= sigma, but the update uses sigma_t / 2. The "
        "features of the round in which an epoch starts are not defined, and the proof starts epochs a round earlier.",
    ),
    (
        f"{PROS}, Theorem 2",
        "The parameters of the experiments, alpha = gamma = 1 and epsilon = 1/2, make epsilon' infinite: the theorem "
        "says nothing. That gamma = alpha gives epsilon' = epsilon/(1 - 2 epsilon) needs epsilon < 1/2.",
    ),
    (
        f"{PROS}, the remark on rates",
        "gamma = alpha / T^s with s = q/(1 + q) gives T^(1/(1 + q)), not T^(q/(1 + q)).",
    ),
    (
        f"{PROS}, experiments",
        "Classification is played with the hinge loss, which has no curvature (sigma = 0): outside the theory.",
    ),
    (
        f"{PKAWV}, appendix, the listing of PKAWV",
        "`predict` changes the state: called twice, as by an adversary that looks ahead, it gives two answers.",
    ),
    (
        f"{PKAWV}, appendix, the Nyström variant",
        "K_nm' K_nm + lambda K_mm is factorised in raw coordinates, which squares the condition number: a repeated "
        "point ends in NaN. `pkawv-kors` plays in triangular coordinates.",
    ),
    (
        f"{DUAL}, the coverage oracle",
        "The text keeps points that are close to the core; the pseudo-code moves them to the Fourier part. Only the "
        "latter agrees with the claimed size of the core.",
    ),
    (
        f"{DUAL}, the remark on the budget",
        "A larger budget B lowers the probability that a point is moved; the remark says that it raises it.",
    ),
    (
        f"{DUAL}, Theorem 1",
        "sigma^2, not sigma, equals E omega' omega; and D in the source of the bound counts frequencies, of which "
        "there are D/2, so that the exponent must be halved. At all defaults the probability of failure is bounded by "
        "more than a million: the theorem says nothing there.",
    ),
    (
        f"{DUAL}, Theorem 2 and Corollary 1",
        "They are about i.i.d. data, not sequences. The default eta = 1/(76 M) and n = 100 meet the preconditions for "
        "lambda >= 3.61 (smooth hinge) or 0.45 (logistic), while the grid for lambda ends at 1.02; and beta = 1/2 "
        "gives the limit 1/(38 M), not 1/(76 M).",
    ),
)
