//! The jobs of a command, done by several threads.

use super::error::{Place, ToolError};
use crate::platform::threads::spawn_several;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Does the jobs of a list in up to `threads` threads, and passes each result to `handle` as soon as it is
/// there.
///
/// Each thread makes a worker of its own, and takes one job after the other, so a long list need not be in
/// memory. Once `cancelled` is true, no thread begins another job. It is set if `handle` fails.
///
/// # Errors
/// If no thread can be started, and the first error of `handle`.
pub(super) fn do_jobs<J, R: Send, W: FnMut(J) -> R>(
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    threads: u32,
    cancelled: &AtomicBool,
    new_worker: impl Fn() -> W + Sync,
    mut handle: impl FnMut(R) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    let jobs = jobs.into_iter();
    let most = jobs.size_hint().1.unwrap_or(usize::MAX);
    let jobs = Mutex::new(jobs);
    // Unlocks the list before the job begins.
    let next = || jobs.lock().next();
    let (sender, results) = crossbeam_channel::unbounded();
    std::thread::scope(|scope| {
        let begun = spawn_several(scope, (threads as usize).min(most), || {
            let sender = sender.clone();
            let (next, new_worker) = (&next, &new_worker);
            move || {
                let mut work = new_worker();
                while let Some(job) = next() {
                    if cancelled.load(Ordering::Relaxed) || sender.send(work(job)).is_err() {
                        return;
                    }
                }
            }
        });
        begun.map_err(ToolError::io(Place::Job))?;
        drop(sender);
        let handled = results.iter().try_for_each(&mut handle);
        if handled.is_err() {
            cancelled.store(true, Ordering::Relaxed);
        }
        handled
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn every_job_is_done_once_by_workers_that_keep_their_state() {
        let jobs: Vec<u32> = (0..1_000).collect();
        for threads in [1, 3, 2_000] {
            let mut done = BTreeSet::new();
            let mut longest = 0;
            let worker = || {
                let mut count = 0;
                move |&job: &u32| {
                    count += 1;
                    (job, count)
                }
            };
            let handle = |(job, count)| {
                assert!(done.insert(job), "job {job} is done twice");
                longest = longest.max(count);
                Ok(())
            };
            do_jobs(&jobs[..100], threads, &AtomicBool::new(false), worker, handle).unwrap();
            assert!(done.into_iter().eq(0..100));
            assert!(longest >= 100 / threads.min(100));
        }
    }

    #[test]
    fn no_job_begins_after_an_error_and_the_first_error_is_returned() {
        let begun = AtomicUsize::new(0);
        let jobs = [(); 100];
        let cancelled = AtomicBool::new(false);
        // Each job but the first lasts until the error.
        let worker = || {
            |_: &()| {
                if begun.fetch_add(1, Ordering::Relaxed) > 0 {
                    while !cancelled.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                }
            }
        };
        let result = do_jobs(&jobs, 2, &cancelled, worker, |()| Err(ToolError::NoGame));
        assert!(matches!(result, Err(ToolError::NoGame)));
        assert!(begun.into_inner() <= 3);
        let cancelled = AtomicBool::new(true);
        let worker = || |_: &()| panic!("the job begins");
        do_jobs(&jobs, 2, &cancelled, worker, Ok).unwrap();
    }
}
