"""The known errata: statements that a match refutes, errors explained in words, and remarks on correct statements."""

from __future__ import annotations

from functools import partial

from arena.papers.errata.erratum import Erratum, InWords
from arena.papers.errata.matches import accepted, alternating, growing, least_beta, turning_line, twins

FLAT = {"loss": "logistic", "label_bound": 0.1, "prediction_bound": 1.0}
FLATTER = {"loss": "logistic", "label_bound": 0.1, "prediction_bound": 0.1}
SURE = "beta=69"  # at least 3 log(29 / 0.1) / 0.5^2; KORS accepts the point in each of 29 rounds
TWINS = "alpha=100, gamma=1e-6, epsilon=0.9"
TWINS_BETA = "beta=42.7"  # at least 3 log(10,000 / 0.1) / 0.9^2
RAY = f"beta={least_beta(2500, 0.1, 0.5)!r}"
RARE = f"beta={least_beta(1, 1e-6, 0.5)!r}"
NIPS_RIDGE, ICML_RIDGE = "200000", "150000"

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "pkawv-growing-printed(generous=true)",
        "pkawv-growing",
        "appendix B",
        "needs a precondition",
        "Any linear subspaces of H; lambda > 0; labels in [-B, B]; the squared loss.",
        "The statement is about any sequence of subspaces, but its proof uses P_{t+1} P_t = P_t: each must contain the "
        "one before it. So nothing is known of dictionaries that drop points. On a line that turns by a right angle, "
        "with lambda = T, the regret is about T/8 times the bound, a dozen times after the 100 rounds of the match. "
        "The bound is judged with t in place of t - 1, which makes it larger. Theorems 3 and 6 of the paper, about a "
        "fixed subspace and about dictionaries from which no point is dropped, are not touched.",
        "No coins are tossed.",
        turning_line,
        lacks="each subspace contains the one before it",
    ),
    Erratum(
        "kons-printed(alpha=0.01)",
        "kons-effective-dimension(alpha=0.01)",
        "section 3, page 5",
        "needs a precondition",
        "Assumptions 1 and 2 with sigma > 0; eta_t = sigma; alpha <= sqrt(T); k(x, x) = 1 (section 2).",
        "By Proposition 1 and Lemma 3 the logarithm is 1 + log(1 + sigma L^2 T / alpha). The theorem has "
        "2 log(2 sigma L^2 T), whatever alpha, which is smaller where alpha or sigma L^2 T is small, and negative "
        "where 2 sigma L^2 T < 1; `kons-horizon` adds the condition under which it is large enough. With the logistic "
        "loss, C = 1 and labels of 0.1 the regret after 60 rounds is 1.25, where 0.18 is allowed, and after one round "
        "the bound is -4.2; with labels of 1 it is -1.6. The best w in S, which the paper compares with, is 0 after 60 "
        "rounds. The second case of the theorem, sigma = 0, has log(2 L^2 T), which is negative for small L^2 T. For "
        "the squared loss with B = C, where sigma L^2 = 2, no match is known that exceeds the bound.",
        "No coins are tossed.",
        partial(alternating, "kons(alpha=0.01)", 60, **FLAT),
    ),
    Erratum(
        "sketched-kons-regret-printed(alpha=0.01, beta=691, epsilon=0.1)",
        "sketched-kons-regret(alpha=0.01, beta=691, epsilon=0.1)",
        "section 5, Equation 5, page 7",
        "false",
        "Assumptions 1 and 2; eta_t = sigma > 0; alpha <= sqrt(T); beta >= 3 log(T / delta) / epsilon^2; k(x, x) = 1.",
        "The bound is divided by max(gamma, beta tau_min), but beta is bounded from below only: a large beta would "
        "give the sketch less regret than the whole matrix has. It must be min(1, beta tau_min). One round exceeds "
        "the bound 30 times, also with the best w in S for comparator; the larger beta, the more. The least beta for "
        "epsilon = 1/2 and delta = 0.1, 27.7, makes one round exceed it by a fifth. The factor 1 - epsilon of "
        "Corollary 1, on which the theorem rests, is lost as well.",
        "The first prediction is 0 whatever the coins.",
        partial(alternating, "sketched-kons(alpha=0.01, beta=691, epsilon=0.1)", 1),
    ),
    Erratum(
        f"pros-n-kons-regret-printed({SURE})",
        "pros-n-kons-regret",
        "section 4, Equation 3",
        "needs a precondition",
        "Assumption 2 with the Lipschitz constant L; eta_t >= sigma (the update does not use eta_t); alpha <= sqrt(T); "
        "gamma <= alpha; predictions bounded by C; beta >= 3 log(T / delta) / epsilon^2 (Proposition 1).",
        "log(2 sigma L^2 T / alpha) is negative where 2 sigma L^2 T < alpha, and with it, for a small C, the whole "
        "bound. Lemma 3 of the ICML paper has 1 + log(1 + sigma L^2 T / alpha) for the same determinant. At one point "
        "with the logistic loss and labels of C = 0.1 each round starts an epoch, so that every prediction is 0. The "
        "regret to w = 0 is 0, and the bound -8.6. It is negative for any number of epochs from 1 on, and for any "
        "Lipschitz constant L from the least one, 0.05, to 0.1.",
        "KORS accepts the point in every round with probability 1.",
        partial(alternating, f"pros-n-kons({SURE})", 29, **FLATTER),
    ),
    Erratum(
        f"pros-n-kons-squared-printed({TWINS}, {TWINS_BETA}, clipped=true)",
        f"pros-n-kons-squared({TWINS})",
        "section 4, Equation 5",
        "false",
        "The squared loss, L = 4 C, sigma = 1/(8 C^2); eta_t >= sigma (the update does not use eta_t); "
        "alpha <= sqrt(T); gamma <= alpha; beta >= 3 log(T / delta) / epsilon^2 (Proposition 1).",
        "Its proof (appendix C) keeps eps' alpha |w|^2 where alpha |w|^2 is meant: a learner that starts afresh J "
        "times pays for the comparator's norm J times. Two points that are nearly the same, with opposite labels, make "
        "it lose 1 in almost every round, while J grows like a power of log T. The bound is judged with negative "
        "logarithms as zero, which makes it larger. With epsilon = 1/2 and beta = 138.2 the regret is 10,139, the "
        "bound 7,770, and the bound with its negative logarithms 2,880.",
        "What KORS promises with probability 1 - delta is met on the match; the bound fails with each of five seeds.",
        partial(twins, f"pros-n-kons({TWINS}, {TWINS_BETA})", 10_000),
    ),
    Erratum(
        f"kors-size-printed({RAY}, ridge=1e-8)",
        f"kors-size({RAY}, ridge=1e-8)",
        "section 3.2, page 6",
        "constant lost",
        "A bounded kernel (section 2); epsilon = 1/2; beta = 12 log(n / delta); mu > 0.",
        "Proposition 1 of the NIPS paper, which it restates, has 3 rho beta d_eff(mu) log(2 n / delta) with rho = 3; "
        "for this beta that is 9 d_eff(mu) log^2(2 n / delta) times about 12, and the 12 was dropped. KORS accepts "
        "each of 2,500 points of one ray, in groups of 25 that grow by 10 %, where 1,054 points are allowed. One "
        "point that is repeated 100,000 times exceeds the bound as well, by 5 % at delta = 1/2.",
        "Every point is accepted with probability 1.",
        partial(growing, f"pkawv-kors({RAY}, mu=1e-8)", 2500),
    ),
    Erratum(
        f"kors-size-nips-printed({RARE}, ridge={NIPS_RIDGE}, delta=1e-6)",
        f"kors-size({RARE}, ridge={NIPS_RIDGE}, delta=1e-6)",
        "section 2",
        "needs a precondition",
        "0 < epsilon <= 1; gamma > 0; 0 < delta < 1; beta >= 3 log(T / delta) / epsilon^2.",
        "It needs that many points are expected, or the larger of the bound and 2.4 log(1 / delta): where far less "
        "than one point is expected the bound is below one, here 0.108, and a single point exceeds it. That is so for "
        "delta = 0.01 as well: with gamma = 2,700 the bound is 0.98, and the probability 3 %.",
        "KORS accepts the point with a probability of 0.12 %, where 0.0001 % is promised.",
        partial(accepted, f"pkawv-kors({RARE}, mu={NIPS_RIDGE})", 202),
    ),
    Erratum(
        f"kors-size-icml-printed({RARE}, ridge={ICML_RIDGE}, delta=1e-6)",
        f"kors-size({RARE}, ridge={ICML_RIDGE}, delta=1e-6)",
        "section 4, page 6",
        "needs a precondition",
        "0 < epsilon <= 1; alpha > 0; 0 < delta < 1; beta >= 3 log(T / delta) / epsilon^2; k(x, x) = 1.",
        "The same: the bound is 0.101, and a single point exceeds it.",
        "KORS accepts the point with a probability of 0.17 %, where 0.0001 % is promised.",
        partial(accepted, f"pkawv-kors({RARE}, mu={ICML_RIDGE})", 202),
    ),
)

KONS = "Calandriello, Lazaric and Valko 2017 (ICML)"
PROS = "Calandriello, Lazaric and Valko 2017 (NIPS)"
PKAWV = "Jezequel, Gaillard and Rudi 2019"
DUAL = "Le, Nguyen and Phung 2022"

IN_WORDS: tuple[InWords, ...] = (
    InWords(
        f"{KONS}, section 3, Lemmas 1 and 2 (page 4)",
        "needs a precondition",
        "The coefficients b_t have a denominator proportional to g_t^2, so they are undefined where g_t = 0 while the "
        "projection is active, as with the squared loss and the label C at one point: NaN from round 3 on. The "
        "coefficients c_t = eta_t g_t^2 p_t - g_t - h/q_t, not divided by g_t sqrt(eta_t), are always defined; `kons` "
        "uses them.",
    ),
    InWords(
        f"{KONS}, section 5, Lemma 4 (page 6)",
        "false",
        "The first term of the coefficient lacks the coin z_t: it is z_t eta_t g_t^2 p_t - g_t - h/q_t. Without it the "
        "closed form is not the recursion with the sketched matrix; it may predict C where the recursion has -C.",
    ),
    InWords(
        f"{KONS}, section 4, Algorithm 2, Equation 4 and Theorem 2 (pages 5 and 6); {PROS}, section 2, Proposition 1, "
        "and appendix A, Algorithm 1 and Equation 6",
        "notation",
        "The estimate is called that of tau_{t,i}; it is that of tau_{t,t}. Rounds run from 0 to T - 1 in the listings "
        "and from 1 to T elsewhere. epsilon = 1 is allowed, where 1 / (1 - epsilon) is infinite.",
    ),
    InWords(
        f"{PROS}, section 4, Theorem 1, and appendix B",
        "constant lost",
        "The proof has J L^2 / alpha, and L^2 / alpha in the next line and in the theorem. 2 J C stands for J "
        "differences of two losses, each at most 2 L C. J <= 3 beta d_eff(gamma) log(2 T) lacks the factor "
        "(1 + epsilon) / (1 - epsilon) and the delta of Proposition 1. The last lines of the proof have |w| for |w|^2.",
    ),
    InWords(
        f"{PROS}, appendix B, the bound of A_j",
        "needs a precondition",
        "The projection onto S_t does not increase the distance to the epoch's best regularised function if that "
        "function predicts within [-C, C], which is not shown. `pros-n-kons-regret` checks it on the match.",
    ),
    InWords(
        f"{PROS}, Figure 1, the listing of PROS-N-KONS",
        "notation",
        "eta_t is an input, and the theorems ask for eta_t >= sigma, but the update uses sigma_t / 2. The features of "
        "the round in which an epoch starts are not defined, and appendix B starts epochs a round earlier.",
    ),
    InWords(
        f"{PROS}, section 4, Theorem 2 and the paragraph after it, and section 5, Regression",
        "needs a precondition",
        "epsilon' is finite for alpha > gamma epsilon / (1 - epsilon) only, so gamma = alpha gives epsilon / (1 - 2 "
        "epsilon) for epsilon < 1/2 only. The parameters of the experiments, alpha = gamma = 1 and epsilon = 1/2, "
        "which are said to satisfy the requirements of the theorem, make it infinite.",
    ),
    InWords(
        f"{PROS}, section 4, Remark (regret comparison)",
        "notation",
        "gamma = alpha / T^s with s = q/(1 + q) gives T^(1/(1 + q)), not T^(q/(1 + q)), which is larger than sqrt(T) "
        "for q > 1 although the same sentence says the opposite.",
    ),
    InWords(
        f"{PKAWV}, appendix H.2, the listing of KORS",
        "false",
        "Atoms are stored with 1/p, and that weight is multiplied to both sides of the kernel matrix; as in the papers "
        "on KORS it must be 1/sqrt(p). At one point, with beta = 116, as the theory asks of 1,500 rounds, the estimate "
        "falls below a sixth of the leverage, which it should never be less than; with 1/sqrt(p) it stays above.",
    ),
    InWords(
        f"{DUAL}, section 3.6.3, the coverage oracle",
        "notation",
        "The text keeps points that are close to the core; Algorithm 4 moves them to the Fourier part. Only the "
        "latter agrees with the claimed size of the core.",
    ),
    InWords(
        f"{DUAL}, section 3.6.3, the remark on the budget",
        "false",
        "A larger budget B lowers the probability that a point is moved, P(Z_t = 1); the remark says that it raises "
        "it. For the threshold theta of the coverage oracle the remark is right.",
    ),
    InWords(
        f"{DUAL}, section 3.5, Theorem 1 (page 1006)",
        "constant lost",
        "D counts features, cosines and sines (Equation 4). In Claim 1 of Rahimi and Recht 2007, which has the same "
        "probability, it counts frequencies, of which there are D/2, so that the exponent must be halved. And "
        "sigma^2, not sigma, equals E omega' omega.",
    ),
)

REMARKS: tuple[tuple[str, str], ...] = (
    (
        f"{PKAWV}, section 3.1 (page 6)",
        "Experts are aggregated at a cost of order B^2 log |Lambda|, since the squared loss is exp-concave on [0, B]. "
        "Labels lie in [-B, B], and predictions of the experts are not clipped. With clipped experts the loss is "
        "1/(8 B^2)-exp-concave instead of 1/(2 B^2), so the order stands; `ewa` clips, and has the constant 8.",
    ),
    (
        f"{KONS}, section 3, Proposition 1 (page 4) and Theorem 1 (page 5)",
        "The proof has a factor 2 to spare: R(w) <= (alpha |w|^2 + R_G + R_D) / 2. `kons-gradients` and `kons-logdet` "
        "use it.",
    ),
    (
        f"{PROS}, section 5, Regression",
        "With alpha = gamma = 1, epsilon = 1/2 and the squared loss the linear term of Theorem 1 is 4 C^2 T, as large "
        "as any loss: the theorem says nothing about the experiments.",
    ),
    (
        f"{PROS}, section 5, Binary classification",
        "The hinge loss has no curvature (sigma = 0): these experiments are outside the theory.",
    ),
    (
        f"{PKAWV}, appendix H.2, the listing of PhiAWV",
        "`predict` changes the state: called twice, as by an adversary that looks ahead, it gives two answers. Called "
        "once a round, as the protocol has it, it is right.",
    ),
    (
        f"{PKAWV}, appendix H.1, Algorithm 2",
        "K_nm' K_nm + lambda K_mm is factorised in raw coordinates, which squares the condition number, and is "
        "singular once a point is accepted twice. `pkawv-kors` plays in triangular coordinates.",
    ),
    (
        f"{DUAL}, section 3.5",
        "Theorem 2 and Corollary 1 are about i.i.d. data, not about sequences that an adversary chooses.",
    ),
    (
        f"{DUAL}, section 4.1.2",
        "eta = 1/(76 M) is a setting below the limit of Theorem 2 for beta = 1/2, which is 1/(38 M). With n = 100 and "
        "beta = 1/2 the preconditions on eta and n need lambda >= 3.61 (smooth hinge) or 0.45 (logistic), with the "
        "best beta 2.27 or 0.28. The grid of lambda ends at 2^16/N, which is 1.013 for the 64,700 points of w8a and "
        "0.2 or less for the other data sets, if N counts all points of a data set, as section 4 does. So they are met "
        "by the logistic loss on w8a at the top of the grid, and not elsewhere.",
    ),
    (
        f"{DUAL}, section 3.5, Theorem 1",
        "With D = 200, the unit cube of R^8, gamma = 1, sigma^2 = E omega' omega and an error of 0.1 of the kernel the "
        "probability of failure is bounded by three million: the theorem says nothing there.",
    ),
)
