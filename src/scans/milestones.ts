/** The counts that cause an event: 10, 50, 100, 250, 500, 1000, then 2.5, 5, 10 × powers of ten. */

const FIRST = [10, 50, 100, 250, 500, 1_000]
const STEPS = [2.5, 5, 10]

export function findNextMilestone(count: number): number {
  const early = FIRST.find(one => one > count)
  if (early !== undefined) return early
  for (let base = 1_000; ; base *= 10) {
    const step = STEPS.find(factor => base * factor > count)
    if (step !== undefined) return base * step
  }
}

/** Lists the milestones from `next`, the first one not reached before, up to `count`. */
export function listMilestonesUpTo(next: number, count: number): number[] {
  const reached: number[] = []
  for (let milestone = next; milestone <= count; milestone = findNextMilestone(milestone))
    reached.push(milestone)
  return reached
}
