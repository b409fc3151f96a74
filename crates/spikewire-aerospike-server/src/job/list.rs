//! The jobs of a node.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_sync::Mutex;

use super::{Job, JobOptions};

/// Maximum number of concurrent jobs per node.
pub const ACTIVE: usize = 128;
/// Number of finished jobs that are kept.
const DONE: usize = 100;

/// The running and the last finished jobs of a node, without short queries.
#[derive(Debug, Default)]
pub struct Jobs {
    jobs: Mutex<Vec<Arc<Job>>>,
    last_id: AtomicU64,
}

impl Jobs {
    /// Starts a job. Fails if the id is in the list, or too many jobs are running.
    pub fn start(
        &self,
        mut options: JobOptions,
        partitions: usize,
    ) -> Result<Arc<Job>, ResultCode> {
        if options.id == 0 {
            options.id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        }
        let mut jobs = self.jobs.lock();
        if jobs.iter().any(|job| job.options.id == options.id) {
            return Err(ResultCode::PARAMETER);
        }
        let active = jobs.iter().filter(|job| job.is_active()).count();
        if active >= ACTIVE {
            return Err(ResultCode::FORBIDDEN);
        }
        let mut done = jobs.len() - active;
        jobs.retain(|job| {
            let keep = done <= DONE || job.is_active();
            done -= usize::from(!keep);
            keep
        });
        let job = Arc::new(Job::new(options, partitions));
        jobs.push(job.clone());
        Ok(job)
    }

    /// All jobs, oldest first.
    pub fn all(&self) -> Vec<Arc<Job>> {
        self.jobs.lock().clone()
    }

    /// The job with this id.
    pub fn find(&self, id: u64) -> Option<Arc<Job>> {
        self.jobs.lock().iter().find(|job| job.options.id == id).cloned()
    }

    /// Removes all jobs because the node died. Running ones end soon.
    pub fn clear(&self) {
        for job in self.jobs.lock().drain(..) {
            job.abort();
        }
        self.last_id.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{End, JobKind};
    use super::*;

    fn options(id: u64) -> JobOptions {
        JobOptions {
            id,
            kind: JobKind::Basic,
            namespace: "test".to_owned(),
            set: String::new(),
            index: None,
            requested: (1, 0),
            rate: 0,
            send_timeout: None,
            from: None,
        }
    }

    #[test]
    fn numbers_are_used_once_and_jobs_limited() {
        let jobs = Jobs::default();
        let first = jobs.start(options(0), 1).unwrap();
        assert_eq!(first.options.id, 1);
        assert_eq!(jobs.start(options(1), 1).unwrap_err(), ResultCode::PARAMETER);
        for _ in 1..ACTIVE {
            jobs.start(options(0), 1).unwrap();
        }
        assert_eq!(jobs.start(options(0), 1).unwrap_err(), ResultCode::FORBIDDEN);
        first.end(End::Ok);
        assert_eq!(jobs.start(options(1), 1).unwrap_err(), ResultCode::PARAMETER);
        jobs.start(options(0), 1).unwrap().end(End::Ok);
        jobs.clear();
        assert!(first.options.id == 1 && jobs.all().is_empty());
    }

    #[test]
    fn the_last_that_ended_stay() {
        let jobs = Jobs::default();
        let running = jobs.start(options(9), 1).unwrap();
        for id in 1000..1300 {
            jobs.start(options(id), 1).unwrap().end(End::Ok);
        }
        assert!(jobs.all().len() <= DONE + 2 && running.is_active());
        assert!(jobs.find(1299).is_some() && jobs.find(1000).is_none() && jobs.find(9).is_some());
    }
}
